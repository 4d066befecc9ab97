import type { WriteOutcome } from '../writer/writer-client.ts';
import { overloaded } from './overloaded.ts';

const notApplied =
  'The change was not begun within its deadline and has not been applied. Retry in a moment.';
const storageFull =
  'The disk of the service is almost full, so changes are refused. Nothing was applied. Free some space and retry.';
const storageMoved =
  'The data file of the service was moved, removed or replaced, so changes are refused. Nothing was applied. Put it back and retry.';
const storageHeld =
  'A command beside the service is opening its data file and does not get on with it, so changes are refused. Nothing was applied. Let it go on or end it, and retry.';

const quotaReached =
  'This organisation has written as much today as it may on one day, so its changes are refused until the next day begins, in UTC. Nothing was applied. Look for the program that writes so much.';

/** What the reply of each API can say of a change. */
interface WriteReply {
  refuse(problem: { readonly code: 'storage-full'; readonly detail: string }): void;
  /** @param retryAfter seconds */
  refuseUntil(
    problem: { readonly code: 'write-quota-reached'; readonly detail: string },
    retryAfter: number,
  ): void;
  refuseUnavailable(detail: string): void;
  refuseInternal(): void;
}

/** Refuses a change that the writer has not decided. @param mayBeApplied what to do when its outcome is unknown */
export function refuseUndecided(reply: WriteReply, outcome: WriteOutcome, mayBeApplied: string): void {
  const { kind } = outcome;
  if (kind === 'dropped') reply.refuseUnavailable(notApplied);
  else if (kind === 'overloaded') reply.refuseUnavailable(overloaded);
  else if (kind === 'unknown') reply.refuseUnavailable(mayBeApplied);
  else if (kind === 'quota-reached') {
    reply.refuseUntil({ code: 'write-quota-reached', detail: quotaReached }, outcome.retryAfter);
  } else if (kind === 'storage-full') reply.refuse({ code: 'storage-full', detail: storageFull });
  else if (kind === 'storage-moved') reply.refuseUnavailable(storageMoved);
  else if (kind === 'storage-held') reply.refuseUnavailable(storageHeld);
  else reply.refuseInternal();
}
