import type { Coding } from '../../http/content-coding.ts';
import type { AnswerFields } from '../../operations/answer-headers.ts';
import type { ApiReply, ApiRequest } from '../../operations/api-reply.ts';
import type { ApiAnswer, ApiCall, ApiReads, KnownAsker, Read } from '../../operations/call.ts';
import type { ReadQueue } from '../../operations/read-queue.ts';
import { cutOff, overloaded, readTooLate, refuseUndecided } from '../../operations/refuse-undecided.ts';
import type { WriterPort } from '../../writer/client/writer-client.ts';
import type { Holder } from '../evaluation/pin-room.ts';
import type { AnswerEncoder, AnswerEncoders } from './answer-encoder.ts';
import type { LongAnswers } from './long-answers.ts';
import { fitsOneChunk, giveMade, type MadeAnswer } from './made-answer.ts';

/** The actors that answer calls of both APIs. */
export interface ApiActors {
  readonly reads: ApiReads;
  readonly longAnswers: LongAnswers;
  /** For an API whose answers are compressed. */
  readonly encoders?: AnswerEncoders;
  readonly writer: WriterPort;
  /** Counts a failed authentication. @returns whether its 401 may still be given; otherwise the request has been answered */
  mayFail(reply: ApiReply): boolean;
  /** Counts a refusal whose record could not be stored, and logs the count. */
  countUnrecordedDenial(request: ApiRequest, outcome: string): void;
  /** Marks a session as seen, in the background: no answer waits for it. */
  touch(sessionId: string | null): void;
  onFault(fault: unknown, request: ApiRequest): void;
}

/** The actors that also answer reads. */
export interface ReadingActors extends ApiActors {
  readonly readQueue: ReadQueue;
  /** Whether this service can say what is current. */
  isAttached(): boolean;
}

/**
 * Answers a read from a snapshot, whole or in chunks. @returns undefined: it was read; otherwise it resolves when it was,
 * or is not wanted any more
 */
export function answerRead(reply: ApiReply, call: ApiCall, actors: ReadingActors): Promise<void> | undefined {
  const { readQueue, reads } = actors;
  if (readQueue.isBusy) {
    const check = reads.checkHead(call);
    if (!reply.mayWait('asker' in check ? (check.asker?.asker ?? null) : null)) {
      reply.refuseUnavailable(overloaded);
      return undefined;
    }
  }
  const waiting = readQueue.run(() => {
    if (reply.exchange.isOver) return;
    // It was when the request came, which may have waited since.
    if (actors.isAttached()) readNow(reply, call, actors);
    else reply.refuseUnavailable(cutOff);
  });
  return waiting?.then((isInTime) => {
    if (!isInTime) reply.refuseUnavailable(readTooLate);
  });
}

function readNow(reply: ApiReply, call: ApiCall, actors: ApiActors): void {
  const read = actors.reads.read(call);
  const { answer } = read;
  if (typeof answer.body !== 'string') sendLong(reply, read, actors);
  else if (answer.isFailedAuthentication || answer.denial !== null) {
    guarded(reply, actors, giveRecorded(reply, answer, answer.body, actors));
  } else {
    if (!reply.request.isBackground) actors.touch(answer.touchedSessionId);
    giveRead(reply, answer, answer.body, actors);
  }
}

/** Shorter bodies are not compressed: a packet holds them as they are. */
const codedBytesMin = 1024;

/**
 * Whether the answer to a read may be compressed. No answer to a GET has a secret, so its length tells nothing of one
 * (decision 0070).
 */
function isCodable({ request, exchange }: ApiReply, answer: ApiAnswer): boolean {
  const isJson = answer.contentType === 'application/json' && answer.fileName === undefined;
  return isJson && answer.status === 200 && request.method === 'get' && !exchange.isHead;
}

function encoderFor(reply: ApiReply, answer: ApiAnswer, { encoders }: ApiActors): AnswerEncoder | null {
  const { coding } = reply.request;
  return isCodable(reply, answer) ? (encoders?.take(coding ?? null) ?? null) : null;
}

/** @param coding of the body as it is sent */
function codedFieldsOf(reply: ApiReply, answer: ApiAnswer, coding: Coding | null): AnswerFields {
  const isOffered = reply.request.coding !== undefined && isCodable(reply, answer);
  return fieldsOf(answer, isOffered ? coding : undefined);
}

/** Sends an answer that fits into one chunk. @param body valid during the call only */
function giveWhole(reply: ApiReply, answer: ApiAnswer, body: Uint8Array, actors: ApiActors): void {
  const send = (bytes: Uint8Array, coding: Coding | null): void =>
    reply.answer(answer.status, bytes, codedFieldsOf(reply, answer, coding), answer.askerId);
  const encoder = body.length < codedBytesMin ? null : encoderFor(reply, answer, actors);
  if (encoder === null) {
    send(body, null);
    return;
  }
  const kept = Buffer.from(body);
  reply.exchange.onAborted(() => encoder.close());
  encoder.finish(
    kept,
    (coded) => send(coded, encoder.coding),
    (fault) => {
      encoder.close();
      actors.onFault(fault, reply.request);
      send(kept, null);
    },
  );
}

function asBytes(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

/** What every answer with a body of any length says to the part that sends it. */
function madeOf(reply: ApiReply, answer: ApiAnswer, body: string, { onFault }: ApiActors) {
  const { status, askerId } = answer;
  return {
    exchange: reply.exchange,
    status,
    body,
    holder: () => holderOf(reply, answer),
    refuse: (detail: string) => reply.refuseUnavailable(detail),
    onOver: () => reply.finishLong(status, askerId),
    onFault: (fault: unknown) => onFault(fault, reply.request),
  };
}

/** Sends the body of a read's answer, of any length. */
function giveRead(reply: ApiReply, answer: ApiAnswer, body: string, actors: ApiActors): void {
  if (fitsOneChunk(reply.exchange, body)) {
    giveWhole(reply, answer, asBytes(body), actors);
    return;
  }
  const made: MadeAnswer = {
    ...madeOf(reply, answer, body, actors),
    headers: (coding) => reply.headers(answer.status, codedFieldsOf(reply, answer, coding)),
    encoder: () => encoderFor(reply, answer, actors),
    answer: (whole) => giveWhole(reply, answer, asBytes(whole), actors),
  };
  giveMade(made, actors.longAnswers);
}

/** A refusal is given before a long answer begins. */
function sendLong(reply: ApiReply, { answer, release }: Read, actors: ApiActors): void {
  const touch = (): void => {
    if (!reply.request.isBackground) actors.touch(answer.touchedSessionId);
  };
  actors.longAnswers.send({
    exchange: reply.exchange,
    status: answer.status,
    heldBytes: () => 0,
    pieces: typeof answer.body === 'string' ? [answer.body] : answer.body,
    askedAt: reply.completeAt,
    isPinned: true,
    holder: () => holderOf(reply, answer),
    release,
    headers: (coding) => reply.headers(answer.status, codedFieldsOf(reply, answer, coding)),
    encoder: () => encoderFor(reply, answer, actors),
    answerWhole: (whole) => {
      touch();
      giveWhole(reply, answer, whole, actors);
    },
    refuse: (detail) => reply.refuseUnavailable(detail),
    fail: (fault, hasBegun) => {
      actors.onFault(fault, reply.request);
      if (!hasBegun) reply.refuseInternal();
    },
    onBegin: touch,
    onOver: () => reply.finishLong(answer.status, answer.askerId),
  });
}

/** Sends the call to the writer, which decides it whole: it reads asker, target and body from one consistent state. */
export async function answerWrite(
  reply: ApiReply,
  call: ApiCall,
  actors: ReadingActors,
  cookiesOf: (answer: ApiAnswer) => readonly string[] = () => [],
): Promise<void> {
  const outcome = await actors.writer.write(call);
  if (outcome.kind !== 'answered') {
    refuseUndecided(reply, outcome);
    return;
  }
  const { answer } = outcome;
  // The answer may be long, and its client may take its time.
  reply.releaseBody();
  actors.touch(answer.touchedSessionId);
  if (answer.isFailedAuthentication && !actors.mayFail(reply)) return;
  const fields = fieldsOf(answer, undefined, cookiesOf(answer));
  give(reply, answer, String(answer.body), actors, answer.status < 300, fields);
}

/**
 * Checks a request by its head, before its body is collected.
 * @returns who asks, which may be nobody that is known; undefined: it was refused
 */
export function checkHead(reply: ApiReply, call: ApiCall, actors: ApiActors): KnownAsker | null | undefined {
  const check = actors.reads.checkHead(call);
  if ('asker' in check) return check.asker;
  const { refusal } = check;
  if (refusal.denial === null && !refusal.isFailedAuthentication) {
    reply.answer(refusal.status, String(refusal.body), fieldsOf(refusal), refusal.askerId);
  } else guarded(reply, actors, refuse(reply, refusal, actors));
  return undefined;
}

/**
 * The writer decides a change and its refusal. The refusal is given when its record is stored, or when the disk has no
 * room for the record; otherwise the client is told that nothing was decided.
 */
async function refuse(reply: ApiReply, refusal: ApiAnswer, actors: ApiActors): Promise<void> {
  if (!mayBeRecorded(reply, refusal)) return;
  const outcome = refusal.denial === null ? null : await actors.writer.recordDenial(refusal.denial);
  if (outcome?.kind === 'storage-full') {
    actors.countUnrecordedDenial(reply.request, outcome.kind);
  } else if (outcome !== null && outcome.kind !== 'recorded') {
    refuseUndecided(reply, outcome);
    return;
  }
  await giveRecorded(reply, { ...refusal, denial: null }, String(refusal.body), actors);
}

/** A refused token has no more records under way than it has requests. @returns false: it was answered with a 503 */
function mayBeRecorded(reply: ApiReply, { denial }: ApiAnswer): boolean {
  const isAllowed = denial === null || reply.mayWait(denial.tokenId);
  if (!isAllowed) reply.refuseUnavailable(overloaded);
  return isAllowed;
}

/** Gives a refusal whose body is whole, after counting and recording it. */
export async function giveRecorded(
  reply: ApiReply,
  answer: ApiAnswer,
  body: string,
  actors: ApiActors,
): Promise<void> {
  if (answer.isFailedAuthentication && !actors.mayFail(reply)) return;
  if (!mayBeRecorded(reply, answer)) return;
  if (answer.denial !== null) {
    // When the record cannot be stored, the refusal is given all the same, and logged (decisions).
    const outcome = await actors.writer.recordDenial(answer.denial);
    if (outcome.kind !== 'recorded') actors.countUnrecordedDenial(reply.request, outcome.kind);
  }
  give(reply, answer, body, actors, false);
}

/** Sends a body of any length. @param isDecided whether the body says that a change was applied */
function give(
  reply: ApiReply,
  answer: ApiAnswer,
  body: string,
  actors: ApiActors,
  isDecided: boolean,
  fields: AnswerFields = fieldsOf(answer),
): void {
  if (fitsOneChunk(reply.exchange, body)) {
    reply.answer(answer.status, body, fields, answer.askerId);
    return;
  }
  const made: MadeAnswer = {
    ...madeOf(reply, answer, body, actors),
    isDecided,
    headers: () => reply.headers(answer.status, fields),
    answer: (whole) => reply.answer(answer.status, whole, fields, answer.askerId),
  };
  giveMade(made, actors.longAnswers);
}

/** The share that an answer's place is counted for. */
function holderOf({ request }: ApiReply, { askerId, projectId, organisationId }: ApiAnswer): Holder {
  return { asker: askerId, project: projectId, organisation: organisationId, address: request.limitKey };
}

function fieldsOf(
  { contentType, fileName, entityTag, retryAfter }: ApiAnswer,
  coding?: Coding | null,
  setCookies?: readonly string[],
): AnswerFields {
  return { contentType, fileName, entityTag, retryAfter, coding, setCookies };
}

/** Runs a call in the background: a fault answers the request with a 500. */
export function guarded(reply: ApiReply, { onFault }: ApiActors, answering: Promise<void>): void {
  answering.catch((fault: unknown) => {
    onFault(fault, reply.request);
    reply.refuseInternal();
  });
}
