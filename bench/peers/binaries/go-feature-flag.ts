import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BinaryPeer } from './binary-peer.ts';
import { isOfrepOn, ofrepRequest } from './ofrep.ts';
import { rolloutPercentage, rule, ruleFlags } from './rule-question.ts';

const flag = {
  variations: { on: true, off: false },
  targeting: [
    {
      name: 'rule',
      query: `${rule.attribute} eq ${JSON.stringify(rule.value)}`,
      percentage: { on: rolloutPercentage, off: 100 - rolloutPercentage },
    },
  ],
  defaultRule: { variation: 'off' },
};
const pollingIntervalMs = 60_000;

export const goFeatureFlagPeer: BinaryPeer = {
  name: 'go-feature-flag',
  how: 'relayproxy --config proxy.yaml, its flags from a file; POST /ofrep/v1/evaluate/flags/FLAG',
  otherPorts: 0,
  version: { path: '/metrics', pattern: /gofeatureflag_build_info\{[^}]*\bversion="([^"]+)"/ },
  // Both are YAML files: JSON is a subset of YAML.
  configure: ({ folder, port }) => {
    const flags = join(folder, 'flags.yaml');
    const settings = join(folder, 'proxy.yaml');
    writeFileSync(flags, JSON.stringify(Object.fromEntries(ruleFlags.map((name) => [name, flag]))));
    writeFileSync(
      settings,
      JSON.stringify({
        server: { mode: 'http', host: '127.0.0.1', port },
        loglevel: 'error',
        pollingInterval: pollingIntervalMs,
        retrievers: [{ kind: 'file', path: flags }],
      }),
    );
    return { args: ['--config', settings] };
  },
  requestFor: ofrepRequest,
  isOn: isOfrepOn,
};
