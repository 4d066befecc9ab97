import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { localUrl } from '../../config/settings.ts';
import type { DeclaredProject } from '../../contracts/provision/declared-project.ts';
import type { AppliedProject } from '../../operator/apply-file.ts';
import type { Operator } from '../../operator/operator.ts';
import { claimDirectory } from '../../storage/lmdb/claim.ts';
import { openStore } from '../../storage/store.ts';
import { CommandFailure } from '../command-failure.ts';
import { operatorOn } from '../operator-session.ts';
import { type Demo, type DemoName, demoOwnerEmail, demoTokenNames } from './demo.ts';
import { kubernetes } from './kubernetes.ts';
import { shop } from './shop.ts';

/** This file exists from before the demo is made until its tokens have been shown. Its first line is the demo's name. */
const unshownName = 'demo-not-shown-yet';

const demos: Readonly<Record<DemoName, () => Demo>> = { shop: () => shop, kubernetes };

interface DemoOutcome {
  readonly isMade: boolean;
  /** A sign-in link for the Owner, when the demo existed already. */
  readonly signInUrl: string | null;
}

/**
 * Makes a demo in an empty data directory and shows how to use it, once. If the process dies between the two, the
 * tokens were never shown: a file in the directory records this, and the next call replaces them with new ones.
 *
 * @param show must have written the text when it resolves.
 * @returns what was not shown: for an existing demo, a new sign-in link for its Owner.
 */
export async function provisionDemo(
  config: Config,
  name: DemoName,
  show: (text: string) => Promise<void>,
): Promise<DemoOutcome> {
  const { dataDir: directory, mapBytes } = config;
  const claim = claimDirectory(directory);
  try {
    const store = openStore({ directory, mapBytes });
    try {
      const unshown = join(directory, unshownName);
      const operator = operatorOn(store, config);
      const isNew = store.isEmpty();
      if (!isNew && !existsSync(unshown)) return { isMade: false, signInUrl: await signInUrl(operator) };
      if (isNew) writeDurably(unshown, name);
      const demo = demos[isNew ? name : (readFileSync(unshown, 'utf8').split('\n')[0] as DemoName)]();
      const made = isNew ? await apply(operator, demo.project) : await replaceTokens(operator, demo);
      await show(welcomeText(config, demo, made, (await signInUrl(operator)) ?? ''));
      rmSync(unshown);
      return { isMade: true, signInUrl: null };
    } finally {
      await store.close();
    }
  } finally {
    claim.release();
  }
}

function writeDurably(path: string, name: string): void {
  const descriptor = openSync(path, 'w', 0o600);
  writeSync(
    descriptor,
    `${name}\nThe tokens of this demo were never shown: run \`burgee demo\` or \`npm start\`.\n`,
  );
  fsyncSync(descriptor);
  closeSync(descriptor);
}

async function apply(operator: Operator, project: DeclaredProject): Promise<AppliedProject> {
  const members = [{ name: 'Demo Owner', email: demoOwnerEmail, role: 'owner' as const }];
  const organisation = { name: 'Demo', plan: 'enterprise' as const, members, projects: [project] };
  const outcome = await operator('apply', Buffer.from(JSON.stringify({ organisations: [organisation] })));
  if (!outcome.ok) throw new CommandFailure('The demo could not be made.', outcome.problems);
  const [made] = Object.values(outcome.projects);
  if (made === undefined) throw new Error('the demo has no project');
  return made;
}

/** The tokens of an interrupted demo were never shown: revokes them, so that their names are free for new ones. */
async function replaceTokens(operator: Operator, { project }: Demo): Promise<AppliedProject> {
  // By name alone, an existing demo gets what is missing, and no flag changes.
  const { name, environments = [], flags = [], tokens = [] } = project;
  const names = { name, environments, tokens, flags: flags.map((flag) => ({ name: flag.name })) };
  const { tokens: unshown } = await apply(operator, names);
  for (const { id } of Object.values(unshown)) await operator('revoke-token', { tokenId: id });
  return apply(operator, names);
}

/** @returns null when there is no such member: the store is not a demo, or no longer one. */
async function signInUrl(operator: Operator): Promise<string | null> {
  const outcome = await operator('make-sign-in-link', { email: demoOwnerEmail, organisation: null });
  return outcome.ok ? outcome.value.url : null;
}

/**
 * The text that a new user sees once. Each `curl` line is complete, with no placeholder to fill in, so it can be
 * pasted.
 */
function welcomeText(config: Config, demo: Demo, made: AppliedProject, ownerUrl: string): string {
  const url = localUrl(config);
  const environment = `env=${demo.environment}`;
  const { slug, name } = demo.project;
  const secret = (token: string): string => made.tokens[token]?.secret ?? '';
  const [readSecret, writeSecret] = [secret(demoTokenNames.read), secret(demoTokenNames.write)];
  const flagId = (flag: string): string => made.flags[flag] ?? '';
  const questions = demo.questions.map(
    ({ text, flag, query }) => `${text}\ncurl '${url}/v1/flags/${flagId(flag)}?${environment}&${query}'\n`,
  );
  return `
Burgee will answer at ${url} in a moment. Its documentation: ${url}/docs

${config.dataDir} was empty, so it now holds a demo: ${demo.about}.
Open the console with this link; it works once, within 24 hours. The next start prints another one:

  ${ownerUrl}

Two tokens of the project "${name}", shown this once:

  read   ${readSecret}
  write  ${writeSecret}

OpenFeature's providers get this address, by OFREP:

  ${config.baseUrl}/projects/${slug}/${demo.environment}

${questions.join('\n')}
All flags for one user:
curl '${url}/v1/flags/project/${slug}?${environment}&targetingKey=user-42'

List the flags of one environment, as pipelines do:
curl -H 'Authorization: Bearer ${readSecret}' '${url}/api/v1/flags?${environment}'

Turn ${demo.changedFlag} on for everybody, then ask for it again:
curl -X PATCH -H 'Authorization: Bearer ${writeSecret}' -H 'Content-Type: application/json' -d '{"trafficPercentage": 100}' '${url}/api/v1/flags/${flagId(demo.changedFlag)}?${environment}'

`;
}
