import type { ConsoleCall } from '../../contracts/console/console-call.ts';
import type { ConsoleAskId } from '../../contracts/console/console-steps.ts';
import { joinPieces } from '../../support/text-pieces.ts';
import { refuseWrite } from './answer-console-write.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleReply } from './console-reply.ts';

/** What was read or written; `null` when it did not go well, and the request has been answered so. */
export type Asked<T> = { readonly value: T; readonly memberId: string | null } | null;

const json = 'application/json';
const encoder = new TextEncoder();

/** @returns a step as it is asked on behalf of the request. */
export function callOf(reply: ConsoleReply, operation: ConsoleAskId, body: unknown): ConsoleCall {
  const { requestId, sessionSecret, address, userAgent } = reply.request;
  const bytes = encoder.encode(JSON.stringify(body));
  return { requestId, operation, params: {}, query: {}, sessionSecret, address, userAgent, body: bytes };
}

function settle<T>(reply: ConsoleReply, status: number, text: string, memberId: string | null): Asked<T> {
  if (status < 300) return { value: (text === '' ? null : JSON.parse(text)) as T, memberId };
  reply.answer(status, text, { contentType: json }, memberId);
  return null;
}

/** Reads something short from a snapshot, on behalf of the request. */
export function askReads<T>(
  reply: ConsoleReply,
  operation: ConsoleAskId,
  body: unknown,
  { reads, touch }: ConsoleActors,
): Asked<T> {
  const { answer, release } = reads.console(callOf(reply, operation, body));
  try {
    touch(answer.touchedSessionId);
    return settle<T>(reply, answer.status, joinPieces(answer.body), answer.memberId);
  } finally {
    release();
  }
}

/** Asks the writer for a change, on behalf of the request. */
export async function askWriter<T>(
  reply: ConsoleReply,
  operation: ConsoleAskId,
  body: unknown,
  actors: ConsoleActors,
): Promise<Asked<T>> {
  const outcome = await actors.writer.writeConsole(callOf(reply, operation, body));
  if (outcome.kind !== 'console-answered') {
    refuseWrite(reply, outcome);
    return null;
  }
  const { status, body: text, memberId, touchedSessionId } = outcome.answer;
  actors.touch(touchedSessionId);
  return settle<T>(reply, status, String(text), memberId);
}
