import type { ProvisionedPart } from '../../servers/provision-file.ts';
import { startBurgee } from '../../servers/start-burgee.ts';
import { askedFlag, rolloutPercentage, rule, ruleFlags } from './rule-question.ts';
import { type RuleServer, ruleRequests } from './rule-server.ts';

const audience = 'matched';
const project: ProvisionedPart = {
  name: 'peers',
  audiences: [{ name: audience, rules: [{ attribute: rule.attribute, values: [rule.value] }] }],
  flags: ruleFlags.map((name) => ({ name, enabled: true, trafficPercentage: rolloutPercentage, audience })),
};

/** Starts Burgee with default settings and the same flags as the peers. */
export async function startBurgeeRules(users: number): Promise<RuleServer> {
  const { origin, pid, provisioned, stop } = await startBurgee([project]);
  const id = provisioned.projects[project.name]?.flags[askedFlag] ?? '';
  const { matched, unmatched } = ruleRequests(
    (user, attribute) => ({
      path: `/v1/flags/${id}?targetingKey=${user}&${rule.attribute}=${attribute}`,
      status: 200,
    }),
    users,
  );
  return {
    name: 'burgee',
    what: `Burgee, node ${process.versions.node}, its settings the defaults; GET /v1/flags/ID?targetingKey=USER&${rule.attribute}=VALUE`,
    pid,
    list: { origin, requests: matched },
    unmatched,
    isOn: (body) => (JSON.parse(body) as { readonly enabled: boolean }).enabled,
    stop,
  };
}
