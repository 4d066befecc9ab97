import { withLifetime } from '../support/lifetime.ts';
import type { Campaign } from './campaign.ts';
import { heldOperatorSocket } from './misuse/held-operator-socket.ts';
import { limitedAddressSpace } from './misuse/limited-address-space.ts';
import type { Misuse } from './misuse/misuse.ts';
import { networksOfOneClient } from './misuse/networks-of-one-client.ts';
import { revivedLinks } from './misuse/revived-links.ts';
import { spelledDryRuns } from './misuse/spelled-dry-runs.ts';
import { strangersAtAnAccount } from './misuse/strangers-at-an-account.ts';
import { turningNames } from './misuse/turning-names.ts';
import { unreadLog } from './misuse/unread-log.ts';
import { usedQuotas } from './misuse/used-quotas.ts';

const kinds: Readonly<Record<string, Misuse>> = {
  'spelled dry runs': spelledDryRuns,
  'turning names': turningNames,
  'revived links': revivedLinks,
  'networks of one client': networksOfOneClient,
  'strangers at an account': strangersAtAnAccount,
  'held operator socket': heldOperatorSocket,
  'unread log': unreadLog,
  'limited address space': limitedAddressSpace,
  'used quotas': usedQuotas,
};
const names = Object.keys(kinds);

/** What is written, tried or left undone so that something gives way which should not. Each kind in turn. */
export const misuse: Campaign = {
  name: 'misuse',
  summary:
    'misspelt dry runs, names that turn text, ended links, guessed passwords, many networks, an occupied operator’s socket, an unread log, little address space and used quotas: nothing gives way',
  sampleCount: names.length,
  fullCount: 10 * names.length,
  tools: ['prlimit'],
  async run(context) {
    const attempts = Object.fromEntries(names.map((name) => [name, 0]));
    for (const { number, random } of context.cases()) {
      const name = names[(number - 1) % names.length] ?? '';
      const made = await withLifetime(async (t) => kinds[name]?.(t, random) ?? 0);
      attempts[name] = (attempts[name] ?? 0) + made;
    }
    return attempts;
  },
};
