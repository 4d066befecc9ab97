import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BinaryPeer } from './binary-peer.ts';
import { askedFlag, rolloutPercentage, rule, ruleFlags } from './rule-question.ts';

const frontendToken = '*:development.bench-frontend';

const features = ruleFlags.map((name) => ({
  name,
  type: 'release',
  project: 'default',
  enabled: true,
  stale: false,
  impressionData: false,
  variants: [],
  strategies: [
    {
      name: 'flexibleRollout',
      constraints: [{ contextName: rule.attribute, operator: 'IN', values: [rule.value] }],
      parameters: { rollout: String(rolloutPercentage), stickiness: 'userId', groupId: name },
    },
  ],
}));

export const unleashEdgePeer: BinaryPeer = {
  name: 'unleash-edge',
  how: 'unleash-edge offline -b features.json; GET /api/frontend/features/FLAG?userId=USER',
  otherPorts: 0,
  version: { path: '/docs/openapi.json', pattern: /"version":"([^"]+)"/ },
  headers: { authorization: frontendToken },
  configure: ({ folder, port }) => {
    const file = join(folder, 'features.json');
    writeFileSync(file, JSON.stringify({ version: 2, features }));
    const tokens = ['-c', '*:development.bench-client', '-f', frontendToken];
    return {
      args: ['offline', '-b', file, ...tokens],
      env: { PORT: String(port), INTERFACE: '127.0.0.1' },
    };
  },
  requestFor: (user, attribute) => ({
    path: `/api/frontend/features/${askedFlag}?userId=${user}&properties[${rule.attribute}]=${attribute}`,
    status: 200,
  }),
  isOn: (body) => (JSON.parse(body) as { readonly enabled: unknown }).enabled === true,
};
