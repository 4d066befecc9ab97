import type { ManagementCall } from '../../contracts/management/management-call.ts';
import type { Denial } from '../../domain/token/denial.ts';
import type { EvaluatorClient } from '../../evaluator/evaluator-client.ts';
import type { EvaluatorAnswerHead } from '../../evaluator/evaluator-protocol.ts';
import { hasRoomForAnswer } from '../../http/exchange.ts';
import type { WriterClient } from '../../writer/writer-client.ts';
import { ChunkedReply } from '../chunked-reply.ts';
import { overloaded } from '../overloaded.ts';
import type { ManagementReply } from './management-reply.ts';

export interface ReadActors {
  readonly evaluators: EvaluatorClient;
  readonly writer: WriterClient;
  /** Counts a failed authentication. @returns whether its 401 may still be given */
  countFailure(limitKey: string): boolean;
  refuseTooManyFailures(reply: ManagementReply): void;
  onFault(fault: unknown, requestId: string): void;
  /** Counts a refusal whose record could not be stored, and logs the count. */
  countUnrecordedDenial(requestId: string, outcome: string): void;
}

const tooMuchUnread = 'Too many long answers are being read slowly at once. Retry in a moment.';

/** Asks an evaluator: every read, and every path and method that is no route. */
export function answerRead(reply: ManagementReply, call: ManagementCall, actors: ReadActors): void {
  const answerWhole = (head: EvaluatorAnswerHead, bytes: Uint8Array): void => {
    finishRead(reply, head, bytes, actors).catch((fault: unknown) => {
      actors.onFault(fault, call.requestId);
      reply.refuseInternal();
    });
  };
  const chunked = new ChunkedReply(reply.exchange, {
    headers: (status) => reply.headers(status),
    answerWhole,
    answerUnavailable: (detail) => reply.refuseUnavailable(detail),
    answerFailure: () => reply.refuseInternal(),
    more: () => open?.more(),
    cancel: () => open?.cancel(),
    onLongAnswer: (head) => reply.finishLong(head.status, head.tokenId),
  });
  const open = actors.evaluators.request(chunked, { kind: 'management-read', call });
  if (open === null) reply.refuseUnavailable(overloaded);
}

async function finishRead(
  reply: ManagementReply,
  head: EvaluatorAnswerHead,
  bytes: Uint8Array,
  actors: ReadActors,
): Promise<void> {
  if (head.isFailedAuthentication && !actors.countFailure(reply.request.limitKey)) {
    actors.refuseTooManyFailures(reply);
    return;
  }
  if (head.denial !== null) await recordDenial(head.denial, reply, actors);
  if (hasRoomForAnswer(bytes.length)) reply.answer(head, bytes);
  else reply.refuseUnavailable(tooMuchUnread);
}

/** The refusal waits for its record; when it cannot be stored, it is given all the same, and logged (decisions). */
async function recordDenial(denial: Denial, reply: ManagementReply, actors: ReadActors): Promise<void> {
  const outcome = await actors.writer.recordDenial(denial);
  if (outcome.kind === 'recorded') return;
  actors.countUnrecordedDenial(reply.request.requestId, outcome.kind);
}
