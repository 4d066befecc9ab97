import type { DenialLetter } from '../domain/outbox/denial-letter.ts';
import { LeaseCell } from '../support/lease-cell.ts';
import { newId } from '../support/random-id.ts';
import type { OutboxCommand } from '../writer/client/outbox-protocol.ts';
import type { NotifierSetup, OutboxAnswer } from './notifier-protocol.ts';

type Ask = (command: OutboxCommand) => Promise<OutboxAnswer>;

/** The part of the notifier's options in which a node of a cluster differs. */
interface MailTurn {
  readonly ask: Ask;
  begin(letter: DenialLetter): Promise<boolean>;
  /** The letter may have come with a change that another node has decided. */
  readonly lookAtLeastEveryMs: number;
}

/** How often the node that sends mails looks for letters of other nodes. */
const lookEveryMs = 3000;
/** Times that a letter is begun where nobody says whether it was: later it is found begun, and counts as given up. */
const beginsMax = 3;

/**
 * Whose turn it is to send mails: of the nodes one has the duty, and looks before each letter whether it still has it. That
 * spares mails; what rules out a second one is that a letter is begun in the record of the cluster before it is sent, which
 * one node can do once.
 */
export function mailTurn(
  { leaseMemory, mailMemory }: NonNullable<NotifierSetup['cluster']>,
  ask: Ask,
): MailTurn {
  const [lease, mail] = [new LeaseCell(leaseMemory), new LeaseCell(mailMemory)];
  const hasTurn = (): boolean => lease.isValid() && mail.isValid();
  return {
    lookAtLeastEveryMs: lookEveryMs,
    ask: async (command) =>
      command.kind === 'take' && !hasTurn() ? { kind: 'unavailable' } : await ask(command),
    begin: async ({ sequence }) => {
      const by = newId();
      for (let times = 0; times < beginsMax && hasTurn(); times += 1) {
        const { kind } = await ask({ kind: 'begin', sequence, by });
        if (kind === 'recorded') return true;
        if (kind === 'taken') return false;
      }
      return false;
    },
  };
}
