import type { ManagementAnswer, ManagementCall } from '../../contracts/management/management-call.ts';
import type { WriteOutcome } from '../../writer/writer-client.ts';
import { refuseUndecided } from '../refuse-undecided.ts';
import { finishRead, give, type ManagementActors } from './answer-read.ts';
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
    } else give(reply, answer, String(answer.body), actors, answer.status < 300);
  } else refuseUndecided(reply, outcome, mayBeApplied);
}

/** Refuses a change by its head: before its body is collected, what nobody may do is not looked at. @returns whether it was */
export function refuseWrite(reply: ManagementReply, call: ManagementCall, actors: ManagementActors): boolean {
  const refusal = actors.reads.refuseManagement(call);
  if (refusal === null) return false;
  refuse(reply, refusal, actors).catch((fault: unknown) => {
    actors.onFault(fault, reply.request.requestId);
    reply.refuseInternal();
  });
  return true;
}

/**
 * A change and its refusal are the writer's to decide, whole: the refusal is given when its record is stored, or when the
 * disk has no room for that, and otherwise the client learns that nothing was decided.
 */
async function refuse(
  reply: ManagementReply,
  refusal: ManagementAnswer,
  actors: ManagementActors,
): Promise<void> {
  const outcome = refusal.denial === null ? null : await actors.writer.recordDenial(refusal.denial);
  if (outcome?.kind === 'storage-full') {
    actors.countUnrecordedDenial(reply.request.requestId, outcome.kind);
  } else if (outcome !== null && outcome.kind !== 'recorded') {
    refuseUndecided(reply, outcome, mayBeApplied);
    return;
  }
  await finishRead(reply, { ...refusal, denial: null }, String(refusal.body), actors);
}
