import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BinaryPeer } from './binary-peer.ts';
import { isOfrepOn, ofrepRequest } from './ofrep.ts';
import { rolloutPercentage, rule, ruleFlags } from './rule-question.ts';

const rollout = [
  ['on', rolloutPercentage],
  ['off', 100 - rolloutPercentage],
];
const flag = {
  state: 'ENABLED',
  variants: { on: true, off: false },
  defaultVariant: 'off',
  targeting: { if: [{ '==': [{ var: rule.attribute }, rule.value] }, { fractional: rollout }, 'off'] },
};

export const flagdPeer: BinaryPeer = {
  name: 'flagd',
  how: 'flagd start --uri file:flags.json, which listens on all addresses, having no setting for one; POST /ofrep/v1/evaluate/flags/FLAG',
  otherPorts: 1,
  version: { args: ['version'], pattern: /(\d+\.\d+\.\d+\S*)/ },
  configure: ({ folder, port, otherPorts: [managementPort] }) => {
    const file = join(folder, 'flags.json');
    writeFileSync(file, JSON.stringify({ flags: Object.fromEntries(ruleFlags.map((name) => [name, flag])) }));
    const ports = ['--ofrep-port', String(port), '--management-port', String(managementPort)];
    // These services are not used, so they get Unix sockets instead of ports.
    const sockets = [
      '--socket-path',
      join(folder, 'flagd.sock'),
      '--sync-socket-path',
      join(folder, 'sync.sock'),
    ];
    return { args: ['start', '--uri', `file:${file}`, ...ports, ...sockets] };
  },
  requestFor: ofrepRequest,
  isOn: isOfrepOn,
};
