import type { ConsoleCall } from '../../contracts/console/console-call.ts';
import type { ConsoleAskId } from '../../contracts/console/console-steps.ts';
import type { EvaluatorAnswerHead } from '../../evaluator/evaluator-protocol.ts';
import type { ChunkReceiver } from '../../evaluator/receiver-protocol.ts';
import { overloaded } from '../overloaded.ts';
import { refuseWrite } from './answer-console-write.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleReply } from './console-reply.ts';

/** What an actor said; `null` when it did not go well, and the request has been answered so. */
export type Asked<T> = { readonly value: T; readonly memberId: string | null } | null;

const json = 'application/json';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

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

/** Asks an evaluator something short, on behalf of the request. */
export function askEvaluator<T>(
  reply: ConsoleReply,
  operation: ConsoleAskId,
  body: unknown,
  actors: ConsoleActors,
): Promise<Asked<T>> {
  return new Promise((resolve) => {
    const parts: Uint8Array[] = [];
    let first: EvaluatorAnswerHead | null = null;
    const giveUp = (answer: () => void): void => {
      answer();
      resolve(null);
    };
    const receiver: ChunkReceiver = {
      receiveChunk: (head, bytes, isLast) => {
        first ??= head;
        parts.push(bytes.slice());
        if (!isLast) open?.more();
        else if (first !== null) {
          actors.touch(first.console?.touchedSessionId ?? null);
          const text = decoder.decode(Buffer.concat(parts));
          resolve(settle<T>(reply, first.status, text, first.console?.memberId ?? null));
        }
      },
      receiveCut: (reason) => giveUp(() => reply.refuseUnavailable(reason)),
      receiveUnavailable: (detail) => giveUp(() => reply.refuseUnavailable(detail)),
      receiveFailure: () => giveUp(() => reply.refuseInternal()),
    };
    const call = callOf(reply, operation, body);
    const open = actors.evaluators.request(receiver, { kind: 'console-read', call });
    if (open === null) giveUp(() => reply.refuseUnavailable(overloaded));
  });
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
