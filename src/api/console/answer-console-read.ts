import type { ConsoleCall } from '../../contracts/console/console-call.ts';
import type { EvaluatorAnswerHead } from '../../evaluator/evaluator-protocol.ts';
import { hasRoomForAnswer } from '../../http/exchange.ts';
import { ChunkedReply } from '../chunked-reply.ts';
import { overloaded } from '../overloaded.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleHeaderFields } from './console-headers.ts';
import type { ConsoleReply } from './console-reply.ts';

const tooMuchUnread = 'Too many long answers are being read slowly at once. Retry in a moment.';

/** Passes a read on to an evaluator, and its answer on to the browser, whole or in chunks. */
export function answerConsoleRead(reply: ConsoleReply, call: ConsoleCall, actors: ConsoleActors): void {
  let fields: ConsoleHeaderFields = {};
  const touch = (head: EvaluatorAnswerHead): void => {
    if (!reply.request.isBackground) actors.touch(head.console?.touchedSessionId ?? null);
  };
  const chunked = new ChunkedReply(reply.exchange, {
    headers: (status) => reply.headers(status, fields),
    answerWhole: (head, bytes) => {
      touch(head);
      if (hasRoomForAnswer(bytes.length)) reply.answer(head.status, bytes, fieldsOf(head), memberOf(head));
      else reply.refuseUnavailable(tooMuchUnread);
    },
    answerUnavailable: (detail) => reply.refuseUnavailable(detail),
    answerFailure: () => reply.refuseInternal(),
    more: () => open?.more(),
    cancel: () => open?.cancel(),
    onBegin: (head) => {
      fields = fieldsOf(head);
      touch(head);
    },
    onLongAnswer: (head) => reply.finishLong(head.status, memberOf(head)),
  });
  const open = actors.evaluators.request(chunked, { kind: 'console-read', call });
  if (open === null) reply.refuseUnavailable(overloaded);
}

function fieldsOf({ console }: EvaluatorAnswerHead): ConsoleHeaderFields {
  return { contentType: console?.contentType ?? null, fileName: console?.fileName };
}

function memberOf({ console }: EvaluatorAnswerHead): string | null {
  return console?.memberId ?? null;
}
