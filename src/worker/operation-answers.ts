import type { Coding } from '../http/content-coding.ts';
import type { AnswerFields } from '../operations/answer-headers.ts';
import type { ApiAnswer, Read } from '../operations/call.ts';
import type { ManagementRead } from '../operations/management-operation.ts';
import type { ConsoleRead } from '../operations/operation.ts';
import { cutOff, overloaded, readTooLate, refuseUndecided } from '../operations/refuse-undecided.ts';
import type { AnswerEncoder } from './answers/answer-encoder.ts';
import { chunksOf, fitsOneChunk } from './answers/long-answers.ts';
import type { Api, ApiRequest } from './api.ts';
import { clientOf } from './limits/quota.ts';

/**
 * Takes a slot for a request that waits for its body, for other reads or for the writer. A second call has no effect.
 * @returns false: the client has its quota already
 */
export function takeQuota(request: ApiRequest, { requests }: Api): boolean {
  if (requests === null || request.quota !== null) return true;
  const quota = requests.quotaOf(clientOf(request.callerId, request.head.limitKey));
  if (request.exchange.isOver || !quota.take(1)) return false;
  request.quota = quota;
  return true;
}

/**
 * Answers a read from a snapshot. @returns undefined: the read is done; otherwise a promise that resolves when it is
 * done, or no longer needed
 */
export function answerRead(
  request: ApiRequest,
  operation: ManagementRead | ConsoleRead,
  api: Api,
): Promise<void> | undefined {
  let { caller } = request;
  const waiting = api.readQueue.run(() => {
    if (request.exchange.isOver) return;
    if (!api.isAttached()) request.refuseUnavailable(cutOff);
    else sendRead(request, operation, api.reads.answer(operation, request.call, caller), api);
  });
  // A read that waits authorizes its caller again.
  caller = null;
  return waiting?.then((isInTime) => {
    if (!isInTime) request.refuseUnavailable(readTooLate);
  });
}

function sendRead(
  request: ApiRequest,
  operation: ManagementRead | ConsoleRead,
  { answer, release }: Read,
  api: Api,
): void {
  const recordedBy = operation.api === 'console' && answer.status === 200 ? operation.recordedBy : null;
  if (answer.isFailedAuthentication || answer.denial !== null) refuseCaller(request, answer, api);
  else if (recordedBy === null) sendAnswer(request, answer, api, release);
  else guarded(request, api, sendRecorded(request, recordedBy, { answer, release }, api));
}

/** Has a read recorded, then answers it. One that cannot be recorded is refused. */
async function sendRecorded(
  request: ApiRequest,
  step: string,
  { answer, release }: Read,
  api: Api,
): Promise<void> {
  let isSent = false;
  try {
    if (!takeQuota(request, api)) request.refuseUnavailable(overloaded);
    else {
      const outcome = await api.writer.write({ ...request.call, operation: step, input: null });
      if (outcome.kind !== 'answered') refuseUndecided(request, outcome);
      else if (outcome.answer.status >= 300) sendAnswer(request, outcome.answer, api);
      else {
        isSent = true;
        sendAnswer(request, answer, api, release);
      }
    }
  } finally {
    if (!isSent) release();
  }
}

/** Sends the call to the writer, which makes the whole decision: it checks caller, target and body on one consistent state. */
export async function answerWrite(request: ApiRequest, api: Api): Promise<void> {
  const outcome = await api.writer.write(request.call);
  if (outcome.kind !== 'answered') {
    refuseUndecided(request, outcome);
    return;
  }
  const { answer } = outcome;
  // The answer may be long, and its client may read it slowly.
  request.releaseBody();
  if (answer.isFailedAuthentication) refuseCaller(request, answer, api);
  else sendAnswer(request, answer, api);
}

/**
 * Counts and records a refusal, then answers it. If the record cannot be stored, the client is still refused, and the
 * fault is logged and counted.
 */
export function refuseCaller(request: ApiRequest, refusal: ApiAnswer, api: Api): void {
  const { denial, isFailedAuthentication, callerId } = refusal;
  request.callerId = callerId;
  if (isFailedAuthentication && !mayFail(request, api)) refuseTooManyFailures(request, api);
  else if (denial === null) sendAnswer(request, refusal, api);
  // A refused token has at most as many records in progress as requests.
  else if (!takeQuota(request, api)) request.refuseUnavailable(overloaded);
  else {
    const recording = api.writer.recordDenial(denial).then(({ kind }) => {
      if (kind !== 'recorded') api.countUnrecordedDenial(request, kind);
      sendAnswer(request, refusal, api);
    });
    guarded(request, api, recording);
  }
}

/** Counts a failed authentication. @returns false: the address has too many */
function mayFail(request: ApiRequest, { meter, failedAuthentications }: Api): boolean {
  meter.countFailedAuthentication();
  return failedAuthentications?.limiter.take(request.head.limitKey) ?? true;
}

const tooManyFailures =
  'Too many failed authentication attempts from this address. Wait a minute before you retry, and check the token.';

export function refuseTooManyFailures(request: ApiRequest, { meter, failedAuthentications }: Api): void {
  const seconds = failedAuthentications?.limiter.retryAfterSeconds(request.head.limitKey);
  meter.countLimited('failed-authentications');
  request.refuse({ code: 'too-many-failed-attempts', detail: tooManyFailures }, seconds);
}

/** Waits for work on a request in the background. A fault answers the request with a 500. */
export function guarded(request: ApiRequest, { onFault }: Api, answering: Promise<void>): void {
  request.running += 1;
  answering
    .finally(() => {
      request.running -= 1;
      if (request.running === 0) request.giveBack();
    })
    .catch((fault: unknown) => {
      onFault(fault, request);
      request.fail();
    });
}

/** Shorter bodies are not compressed: a packet holds them as they are. */
const codedBytesMin = 1024;

/** Sends an answer with a body of any length. @param release gives back what its pieces are read from */
function sendAnswer(
  request: ApiRequest,
  answer: ApiAnswer,
  api: Api,
  release: () => void = () => undefined,
): void {
  const { exchange } = request;
  const { status, body } = answer;
  request.callerId = answer.callerId;
  const isSeen = !request.head.isBackground && answer.touchedSessionId !== null;
  const touch = (): void => {
    if (isSeen) api.touch(answer.touchedSessionId);
  };
  if (typeof body === 'string' && fitsOneChunk(exchange, body)) {
    touch();
    sendWhole(request, answer, body, api);
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : null;
  api.longAnswers.send({
    exchange,
    status,
    pieces: bytes === null ? (body as Exclude<typeof body, string>) : chunksOf(bytes),
    heldBytes: () => bytes?.length ?? 0,
    askedAt: request.call.askedAt,
    isPinned: bytes === null,
    isDecided: request.operation?.actor === 'write' && status < 300,
    client: () => clientOf(request.callerId, request.head.limitKey),
    release,
    headers: (coding) => request.headers(status, fieldsOf(request, answer, coding)),
    encoder: () => encoderFor(request, answer, api),
    answerWhole: (whole) => {
      touch();
      sendWhole(request, answer, whole, api);
    },
    refuse: (detail) => request.refuseUnavailable(detail),
    fail: (fault, hasBegun) => {
      api.onFault(fault, request);
      if (!hasBegun) request.fail();
    },
    onBegin: touch,
    onOver: () => request.onAnswered(status),
  });
}

/** Sends an answer that fits into one chunk. @param body valid during the call only */
function sendWhole(request: ApiRequest, answer: ApiAnswer, body: string | Uint8Array, api: Api): void {
  const send = (bytes: string | Uint8Array, coding: Coding | null): void =>
    request.answer(answer.status, bytes, fieldsOf(request, answer, coding));
  const encoder = body.length < codedBytesMin ? null : encoderFor(request, answer, api);
  if (encoder === null) {
    send(body, null);
    return;
  }
  const kept = Buffer.from(body);
  request.exchange.onAborted(() => encoder.close());
  encoder.finish(
    kept,
    (coded) => send(coded, encoder.coding),
    (fault) => {
      encoder.close();
      api.onFault(fault, request);
      send(kept, null);
    },
  );
}

/**
 * Whether the answer to a read may be compressed. No answer to a GET has a secret, so its length reveals nothing
 * of one (decision 0070).
 */
function isCodable({ head, exchange }: ApiRequest, answer: ApiAnswer): boolean {
  const isJson = answer.contentType === 'application/json' && answer.fileName === undefined;
  return isJson && answer.status === 200 && head.method === 'get' && !exchange.isHead;
}

function encoderFor(request: ApiRequest, answer: ApiAnswer, { encoders }: Api): AnswerEncoder | null {
  if (encoders === null || !isCodable(request, answer)) return null;
  return encoders.take(request.head.coding ?? null);
}

/** @param coding of the body as it is sent */
function fieldsOf(request: ApiRequest, answer: ApiAnswer, coding: Coding | null): AnswerFields {
  const { contentType, fileName, entityTag, nameTakenBy, retryAfter } = answer;
  const isOffered = request.head.coding !== undefined && isCodable(request, answer);
  const fields = { contentType, fileName, entityTag, nameTakenBy, retryAfter };
  return { ...fields, coding: isOffered ? coding : undefined };
}
