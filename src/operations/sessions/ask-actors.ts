import type { SignInAnswer } from '../../contracts/console/session-views.ts';
import { sessionLifetimeMs } from '../../domain/session/session.ts';
import { joinPieces } from '../../support/text-pieces.ts';
import type { ApiReply } from '../api-reply.ts';
import type { ApiAnswer, ApiCall } from '../call.ts';
import type { ConversationActors } from '../conversation.ts';
import type { ConsoleRead, ConsoleWrite } from '../operation.ts';
import { refuseUndecided } from '../refuse-undecided.ts';
import type { BegunSession } from './step-bodies.ts';

/**
 * The value that was read or written; `null` when the step was refused, and the request has been answered with the
 * refusal.
 */
export type Asked<T> = { readonly value: T; readonly memberId: string | null } | null;

const json = 'application/json';
const encoder = new TextEncoder();

/** @returns the call of a step, on behalf of the request. */
export function callOf(
  { request }: ApiReply,
  { id: operation }: Pick<ConsoleRead | ConsoleWrite, 'id'>,
  body: unknown,
): ApiCall {
  const { requestId, params, credential, address, userAgent } = request;
  const from = { requestId, params, credential, address, userAgent };
  const sent = { query: '', header: null, isBodyTooLarge: false };
  return { api: 'console', operation, ...from, ...sent, body: encoder.encode(JSON.stringify(body)) };
}

function settle<T>(reply: ApiReply, { status, askerId }: ApiAnswer, text: string): Asked<T> {
  if (status < 300) return { value: (text === '' ? null : JSON.parse(text)) as T, memberId: askerId };
  reply.answer(status, text, { contentType: json }, askerId);
  return null;
}

/** Reads something short from a snapshot, on behalf of the request. */
export function askReads<T>(
  reply: ApiReply,
  step: Pick<ConsoleRead, 'id'>,
  body: unknown,
  { reads, touch }: ConversationActors,
): Asked<T> {
  const { answer, release } = reads.read(callOf(reply, step, body));
  try {
    if (!reply.request.isBackground) touch(answer.touchedSessionId);
    return settle<T>(reply, answer, joinPieces(answer.body));
  } finally {
    release();
  }
}

/** Asks the writer for a change, on behalf of the request. */
export async function askWriter<T>(
  reply: ApiReply,
  step: Pick<ConsoleWrite, 'id'>,
  body: unknown,
  actors: ConversationActors,
): Promise<Asked<T>> {
  const outcome = await actors.writer.write(callOf(reply, step, body));
  if (outcome.kind !== 'answered') {
    refuseUndecided(reply, outcome);
    return null;
  }
  const { answer } = outcome;
  actors.touch(answer.touchedSessionId);
  return settle<T>(reply, answer, String(answer.body));
}

/** @returns the cookie of a session that has just begun. */
export function cookieOf({ secret }: BegunSession, actors: ConversationActors): string {
  return actors.cookie.set(secret, sessionLifetimeMs / 1000);
}

/** Answers that the session has begun. Its secret is in the cookie, and nowhere else. */
export function answerBegun(reply: ApiReply, begun: BegunSession, actors: ConversationActors): void {
  const answer: SignInAnswer = { choices: [] };
  reply.answerJson(answer, { setCookies: [cookieOf(begun, actors)] }, begun.memberId);
}
