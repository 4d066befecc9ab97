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

/** What the reply of each API can say of a change. */
interface WriteReply {
  refuse(problem: { readonly code: 'storage-full'; readonly detail: string }): void;
  refuseUnavailable(detail: string): void;
  refuseInternal(): void;
}

/** Refuses a change that the writer has not decided. @param mayBeApplied what to do when its outcome is unknown */
export function refuseUndecided(reply: WriteReply, { kind }: WriteOutcome, mayBeApplied: string): void {
  if (kind === 'dropped') reply.refuseUnavailable(notApplied);
  else if (kind === 'overloaded') reply.refuseUnavailable(overloaded);
  else if (kind === 'unknown') reply.refuseUnavailable(mayBeApplied);
  else if (kind === 'storage-full') reply.refuse({ code: 'storage-full', detail: storageFull });
  else if (kind === 'storage-moved') reply.refuseUnavailable(storageMoved);
  else if (kind === 'storage-held') reply.refuseUnavailable(storageHeld);
  else reply.refuseInternal();
}
