import type { ManagementCall } from '../../contracts/management/management-call.ts';
import type { WriteOutcome } from '../../writer/writer-client.ts';
import { overloaded } from '../overloaded.ts';
import { storageFull, storageMoved } from '../storage-details.ts';
import type { ReadActors } from './answer-read.ts';
import type { ManagementReply } from './management-reply.ts';

const notApplied =
  'The change was not begun within its deadline and has not been applied. Retry in a moment.';
const mayBeApplied =
  'The service stopped while the change was on its way. It may have been applied: read the flag before you retry.';

/** Asks the writer, whole: token, route and body see one consistent state. */
export async function answerWrite(
  reply: ManagementReply,
  call: ManagementCall,
  actors: ReadActors,
): Promise<void> {
  passOn(reply, await actors.writer.write(call), actors);
}

function passOn(reply: ManagementReply, outcome: WriteOutcome, actors: ReadActors): void {
  if (outcome.kind === 'answered') {
    const { answer } = outcome;
    if (answer.isFailedAuthentication && !actors.countFailure(reply.request.limitKey)) {
      actors.refuseTooManyFailures(reply);
    } else reply.answer(answer, typeof answer.body === 'string' ? answer.body : [...answer.body].join(''));
  } else if (outcome.kind === 'dropped') reply.refuseUnavailable(notApplied);
  else if (outcome.kind === 'overloaded') reply.refuseUnavailable(overloaded);
  else if (outcome.kind === 'unknown') reply.refuseUnavailable(mayBeApplied);
  else if (outcome.kind === 'storage-full') reply.refuse({ code: 'storage-full', detail: storageFull });
  else if (outcome.kind === 'storage-moved') reply.refuseUnavailable(storageMoved);
  else reply.refuseInternal();
}
