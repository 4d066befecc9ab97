import type { ManagementAnswer, ManagementCall } from '../../contracts/management/management-call.ts';
import type { Denial } from '../../domain/token/denial.ts';
import type { Holder } from '../../evaluator/pin-room.ts';
import type { Read, Reads } from '../../evaluator/reads/reads.ts';
import type { WriterPort } from '../../writer/writer-client.ts';
import { LateAnswer } from '../late-answer.ts';
import type { LongAnswers } from '../long-answers.ts';
import { giveMade, type MadeAnswer } from '../made-answer.ts';
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
  const { body, later } = read.answer;
  if (typeof body === 'string' && later === undefined) answerWhole(reply, read.answer, body, actors);
  else sendLong(reply, read, actors);
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
function sendLong(
  reply: ManagementReply,
  { answer: first, held, release }: Read<ManagementAnswer>,
  { longAnswers, onFault }: ManagementActors,
): void {
  const late = new LateAnswer(first);
  longAnswers.send({
    exchange: reply.exchange,
    get status() {
      return late.known.status;
    },
    get heldBytes() {
      return held.bytes;
    },
    pieces: late.pieces(),
    isPinned: true,
    holder: () => holderOf(reply, first),
    release,
    headers: () => reply.headersOf(late.known),
    answerWhole: (bytes) => reply.answer(late.known, bytes),
    refuse: (detail) => reply.refuseUnavailable(detail),
    fail: (fault, hasBegun) => {
      onFault(fault, reply.request.requestId);
      if (!hasBegun) reply.refuseInternal();
    },
    onOver: () => reply.finishLong(late.known.status, late.known.tokenId),
  });
}

function holderOf({ request }: ManagementReply, { tokenId, owner }: ManagementAnswer): Holder {
  const { projectId = null, organisationId = null } = owner ?? {};
  return { asker: tokenId, project: projectId, organisation: organisationId, address: request.limitKey };
}

/** Gives a body that is made, however long it is. @param isDecided whether it says that a change was applied */
export function give(
  reply: ManagementReply,
  answer: ManagementAnswer,
  body: string,
  { longAnswers, onFault }: ManagementActors,
  isDecided: boolean,
): void {
  const { status, tokenId } = answer;
  const made: MadeAnswer = {
    exchange: reply.exchange,
    status,
    body,
    isDecided,
    holder: () => holderOf(reply, answer),
    headers: () => reply.headersOf(answer),
    answer: (whole) => reply.answer(answer, whole),
    refuse: (detail) => reply.refuseUnavailable(detail),
    onOver: () => reply.finishLong(status, tokenId),
    onFault: (fault) => onFault(fault, reply.request.requestId),
  };
  giveMade(made, longAnswers);
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
  give(reply, answer, body, actors, false);
}

/** The refusal waits for its record; when it cannot be stored, it is given all the same, and logged (decisions). */
async function recordDenial(denial: Denial, reply: ManagementReply, actors: ManagementActors): Promise<void> {
  const outcome = await actors.writer.recordDenial(denial);
  if (outcome.kind === 'recorded') return;
  actors.countUnrecordedDenial(reply.request.requestId, outcome.kind);
}
