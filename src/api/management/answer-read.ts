import type { ManagementAnswer, ManagementCall } from '../../contracts/management/management-call.ts';
import type { Denial } from '../../domain/token/denial.ts';
import type { Read, Reads } from '../../evaluator/reads/reads.ts';
import type { WriterPort } from '../../writer/writer-client.ts';
import type { LongAnswers } from '../long-answers.ts';
import { tooMuchUnread } from '../overloaded.ts';
import type { ManagementReply } from './management-reply.ts';

/** What the answers of the Management API are made with. */
export interface ManagementActors {
  readonly reads: Reads;
  readonly longAnswers: LongAnswers;
  readonly writer: WriterPort;
  /** Counts a failed authentication. @returns whether its 401 may still be given */
  countFailure(limitKey: string): boolean;
  refuseTooManyFailures(reply: ManagementReply): void;
  onFault(fault: unknown, requestId: string): void;
  /** Counts a refusal whose record could not be stored, and logs the count. */
  countUnrecordedDenial(requestId: string, outcome: string): void;
}

/** Answers every read, and every path and method that is no route. */
export function answerRead(reply: ManagementReply, call: ManagementCall, actors: ManagementActors): void {
  const read = actors.reads.management(call);
  const { body } = read.answer;
  if (typeof body === 'string') answerWhole(reply, read.answer, body, actors);
  else sendList(reply, read, body, actors);
}

function answerWhole(
  reply: ManagementReply,
  answer: ManagementAnswer,
  body: string,
  actors: ManagementActors,
): void {
  finishRead(reply, answer, body, actors).catch((fault: unknown) => {
    actors.onFault(fault, reply.request.requestId);
    reply.refuseInternal();
  });
}

/** A list is an answer of success: what is refused is refused before it begins. */
function sendList(
  reply: ManagementReply,
  { answer, release }: Read<ManagementAnswer>,
  pieces: Iterable<string>,
  { longAnswers, onFault }: ManagementActors,
): void {
  longAnswers.send({
    exchange: reply.exchange,
    status: answer.status,
    pieces,
    isPinned: true,
    holder: () => ({
      asker: answer.tokenId,
      project: answer.projectId ?? null,
      address: reply.request.limitKey,
    }),
    release,
    headers: () => reply.headers(answer.status),
    answerWhole: (bytes) => reply.answer(answer, bytes),
    refuse: (detail) => reply.refuseUnavailable(detail),
    fail: (fault, hasBegun) => {
      onFault(fault, reply.request.requestId);
      if (!hasBegun) reply.refuseInternal();
    },
    onOver: () => reply.finishLong(answer.status, answer.tokenId),
  });
}

/** Gives an answer that is made, once what must be counted and recorded of it is. */
export async function finishRead(
  reply: ManagementReply,
  answer: ManagementAnswer,
  body: string,
  actors: ManagementActors,
): Promise<void> {
  if (answer.isFailedAuthentication && !actors.countFailure(reply.request.limitKey)) {
    actors.refuseTooManyFailures(reply);
    return;
  }
  if (answer.denial !== null) await recordDenial(answer.denial, reply, actors);
  if (reply.exchange.reserve(Buffer.byteLength(body))) reply.answer(answer, body);
  else reply.refuseUnavailable(tooMuchUnread);
}

/** The refusal waits for its record; when it cannot be stored, it is given all the same, and logged (decisions). */
async function recordDenial(denial: Denial, reply: ManagementReply, actors: ManagementActors): Promise<void> {
  const outcome = await actors.writer.recordDenial(denial);
  if (outcome.kind === 'recorded') return;
  actors.countUnrecordedDenial(reply.request.requestId, outcome.kind);
}
