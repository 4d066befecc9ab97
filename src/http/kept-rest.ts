import type { UnsentAnswers } from './answer-policy.ts';
import type { HttpResponse } from './uws.ts';

/** What is left of an answer that the client's socket has not taken. */
export interface Rest {
  readonly body: string | Uint8Array;
  /** As it was given to `tryEnd` with the body. */
  readonly total: number;
  readonly unsent: UnsentAnswers;
  /** @param listener called once if the client goes away */
  onAborted(listener: () => void): void;
  /** Asked before each write. @returns whether the answer is whole, and nothing of it is left to be given */
  isWhole(): boolean;
  /** The socket has taken the rest. */
  onTaken(): void;
}

/** Keeps a copy of what is left, counted, and hands it over as the socket takes more; without room it closes. */
export function keepRest(response: HttpResponse, { body, total, unsent, ...hooks }: Rest): void {
  const start = response.getWriteOffset();
  // A copy: it may be a view of memory that others write.
  const rest = new Uint8Array(typeof body === 'string' ? Buffer.from(body) : body).slice(start);
  if (!unsent.take(rest.length)) {
    response.close();
    return;
  }
  let isFlushed = false;
  const flush = (): void => {
    if (!isFlushed) unsent.give(rest.length);
    isFlushed = true;
  };
  hooks.onAborted(flush);
  response.onWritable((offset) => {
    if (hooks.isWhole()) return flushSocket(response);
    const [isTaken, isDone] = response.tryEnd(rest.subarray(offset - start), total);
    // With a total that is never reached the answer is whole when its last byte was taken.
    if (!isDone && !(isTaken && start + rest.length < total)) return isTaken;
    flush();
    if (!isDone) hooks.onTaken();
    return isTaken;
  });
}

/** An empty cork: what is left of earlier writes goes to the socket. */
export function flushSocket(response: HttpResponse): boolean {
  response.cork(() => undefined);
  return true;
}
