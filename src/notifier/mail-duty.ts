import type { DenialLetter } from '../domain/outbox/denial-letter.ts';
import { LeaseCell } from '../support/lease-cell.ts';
import { newId } from '../support/random-id.ts';
import type { OutboxCommand } from '../writer/client/outbox-protocol.ts';
import type { NotifierSetup, OutboxAnswer } from './notifier-protocol.ts';

type Ask = (command: OutboxCommand) => Promise<OutboxAnswer>;

/** The part of the notifier's options in which a node of a cluster differs. */
interface MailDuty {
  readonly ask: Ask;
  begin(letter: DenialLetter): Promise<boolean>;
  /** Another node may have added a letter, without a message to this one. */
  readonly lookAtLeastEveryMs: number;
}

/** How often the node on duty looks for letters of other nodes. */
const lookEveryMs = 3000;
/** Attempts to begin a letter while the writer's answer is unknown. A letter that was begun after all is found later, as given up. */
const beginsMax = 3;

/**
 * Lets one node of a cluster send mails. The node checks before each letter that it is still on duty. What rules out a
 * second mail is the cluster's log: a letter is begun there before it is sent, and only one node can begin it, once.
 */
export function mailDuty(
  { leaseMemory, mailMemory }: NonNullable<NotifierSetup['cluster']>,
  ask: Ask,
): MailDuty {
  const [lease, mail] = [new LeaseCell(leaseMemory), new LeaseCell(mailMemory)];
  const isOnDuty = (): boolean => lease.isValid() && mail.isValid();
  return {
    lookAtLeastEveryMs: lookEveryMs,
    ask: async (command) =>
      command.kind === 'take' && !isOnDuty() ? { kind: 'unavailable' } : await ask(command),
    begin: async ({ sequence }) => {
      const by = newId();
      for (let times = 0; times < beginsMax && isOnDuty(); times += 1) {
        const { kind } = await ask({ kind: 'begin', sequence, by });
        if (kind === 'recorded') return true;
        if (kind === 'taken') return false;
      }
      return false;
    },
  };
}
