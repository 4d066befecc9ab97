import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../support/message-of.ts';
import type { Logger } from './logger.ts';

/** Tells why something fails that is tried again and again: each reason once, until it succeeds. */
export class FailureLog {
  readonly #log: Logger;
  readonly #words: string;
  #told: string | null = null;

  /** @param words what a line says beside the reason */
  constructor(log: Logger, words: string) {
    this.#log = log;
    this.#words = words;
  }

  tell(fault: unknown): void {
    const reason = messageOf(fault);
    if (reason !== this.#told) this.#log.warn({ reason }, this.#words);
    this.#told = reason;
  }

  /** @returns whether it had failed before */
  succeeded(): boolean {
    const hadFailed = this.#told !== null;
    this.#told = null;
    return hadFailed;
  }
}

export interface Retries {
  readonly failures: FailureLog;
  /** Between two attempts. */
  readonly againMs: number;
  readonly stopped: AbortSignal;
  /** A fault that no further attempt mends: it is thrown on. */
  isFinal?(fault: unknown): boolean;
}

/** Tries until it succeeds. @throws what is final; the last fault once it is stopped */
export async function tryAgain<T>(
  { failures, againMs, stopped, isFinal }: Retries,
  attempt: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      const done = await attempt();
      failures.succeeded();
      return done;
    } catch (fault) {
      if (stopped.aborted || isFinal?.(fault) === true) throw fault;
      failures.tell(fault);
    }
    await pauseUntil(againMs, stopped);
  }
}

/** Waits so long, or until it is stopped. */
export async function pauseUntil(ms: number, stopped: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal: stopped }).catch(() => undefined);
}
