import type { SignInAnswer } from '../../contracts/console/session-views.ts';
import { sessionLifetimeMs } from '../../domain/session/session.ts';
import { joinPieces } from '../../support/text-pieces.ts';
import type { ApiRequest } from '../api-request.ts';
import type { ApiAnswer, ApiCall } from '../call.ts';
import type { ConversationActors } from '../conversation.ts';
import type { ConsoleRead, ConsoleWrite } from '../operation.ts';
import { refuseUndecided } from '../refuse-undecided.ts';
import type { BegunSession } from './step-bodies.ts';

/**
 * The value that was read or written; `null` when the step was refused, and the request has been answered with the
 * refusal.
 */
export type Asked<T> = { readonly value: T } | null;

const json = 'application/json';

/** @returns the call of a step, on behalf of the request */
export function callOf(
  { call }: ApiRequest,
  { id: operation }: Pick<ConsoleRead | ConsoleWrite, 'id'>,
  input: unknown,
): ApiCall {
  const { requestId, params, credential, address, userAgent } = call;
  const from = { requestId, params, credential, address, userAgent };
  return { api: 'console', operation, ...from, query: '', header: null, body: null, input };
}

function settle<T>(request: ApiRequest, { status, callerId }: ApiAnswer, text: string): Asked<T> {
  request.callerId = callerId;
  if (status < 300) return { value: (text === '' ? null : JSON.parse(text)) as T };
  request.answer(status, text, { contentType: json });
  return null;
}

/** Reads something short from a snapshot, on behalf of the request. */
export function askReads<T>(
  request: ApiRequest,
  step: Pick<ConsoleRead, 'id'>,
  input: unknown,
  { reads, touch }: ConversationActors,
): Asked<T> {
  const { answer, release } = reads.read(callOf(request, step, input));
  try {
    if (!request.head.isBackground) touch(answer.touchedSessionId);
    return settle<T>(request, answer, joinPieces(answer.body));
  } finally {
    release();
  }
}

/** Asks the writer for a change, on behalf of the request. */
export async function askWriter<T>(
  request: ApiRequest,
  step: Pick<ConsoleWrite, 'id'>,
  input: unknown,
  actors: ConversationActors,
): Promise<Asked<T>> {
  const outcome = await actors.writer.write(callOf(request, step, input));
  if (outcome.kind !== 'answered') {
    refuseUndecided(request, outcome);
    return null;
  }
  const { answer } = outcome;
  actors.touch(answer.touchedSessionId);
  return settle<T>(request, answer, String(answer.body));
}

/** @returns the cookie of a session that has just begun. */
export function cookieOf({ secret }: BegunSession, actors: ConversationActors): string {
  return actors.cookie.set(secret, sessionLifetimeMs / 1000);
}

/** Answers that the session has begun. Its secret is in the cookie, and nowhere else. */
export function answerBegun(request: ApiRequest, begun: BegunSession, actors: ConversationActors): void {
  const answer: SignInAnswer = { choices: [] };
  request.callerId = begun.memberId;
  request.answerJson(answer, { setCookies: [cookieOf(begun, actors)] });
}
