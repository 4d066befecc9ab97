import type { ConsoleAnswer, ConsoleCall } from '../../contracts/console/console-call.ts';
import type { Holder } from '../../evaluator/pin-room.ts';
import { giveMade, type MadeAnswer } from '../made-answer.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleHeaderFields } from './console-headers.ts';
import type { ConsoleReply } from './console-reply.ts';

/** Whose share an answer takes. */
export function holderOf(
  { request }: ConsoleReply,
  { params }: ConsoleCall,
  { memberId, organisationId }: ConsoleAnswer,
): Holder {
  const project = params['projectId'] ?? null;
  return { asker: memberId, project, organisation: organisationId, address: request.limitKey };
}

export function fieldsOf({ contentType, fileName }: ConsoleAnswer): ConsoleHeaderFields {
  return { contentType, fileName };
}

/** Gives a body that is made, however long it is. @param isDecided whether it says that a change was applied */
export function giveConsole(
  reply: ConsoleReply,
  call: ConsoleCall,
  answer: ConsoleAnswer,
  body: string,
  { longAnswers, onFault }: ConsoleActors,
  isDecided: boolean,
  fields: ConsoleHeaderFields = fieldsOf(answer),
): void {
  const { status, memberId } = answer;
  const made: MadeAnswer = {
    exchange: reply.exchange,
    status,
    body,
    isDecided,
    holder: () => holderOf(reply, call, answer),
    headers: () => reply.headers(status, fields),
    answer: (whole) => reply.answer(status, whole, fields, memberId),
    refuse: (detail) => reply.refuseUnavailable(detail),
    onOver: () => reply.finishLong(status, memberId),
    onFault: (fault) => onFault(fault, reply.request.requestId),
  };
  giveMade(made, longAnswers);
}
