import type { ManagementCall } from '../../contracts/management/management-call.ts';
import type { WriteOutcome } from '../../writer/writer-client.ts';
import { refuseUndecided } from '../refuse-undecided.ts';
import type { ManagementActors } from './answer-read.ts';
import type { ManagementReply } from './management-reply.ts';

const mayBeApplied =
  'The service stopped while the change was on its way. It may have been applied: read the flag before you retry.';

/** Asks the writer, whole: token, route and body see one consistent state. */
export async function answerWrite(
  reply: ManagementReply,
  call: ManagementCall,
  actors: ManagementActors,
): Promise<void> {
  passOn(reply, await actors.writer.write(call), actors);
}

function passOn(reply: ManagementReply, outcome: WriteOutcome, actors: ManagementActors): void {
  if (outcome.kind === 'answered') {
    const { answer } = outcome;
    if (answer.isFailedAuthentication && !actors.countFailure(reply.request.limitKey)) {
      actors.refuseTooManyFailures(reply);
    } else reply.answer(answer, typeof answer.body === 'string' ? answer.body : [...answer.body].join(''));
  } else refuseUndecided(reply, outcome, mayBeApplied);
}
