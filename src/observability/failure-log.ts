import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../support/message-of.ts';
import type { Logger } from './logger.ts';

/** Logs why a repeated attempt fails: each reason once, until an attempt succeeds. */
export class FailureLog {
  readonly #log: Logger;
  readonly #words: string;
  #lastReason: string | null = null;

  /** @param words the line's text before the reason */
  constructor(log: Logger, words: string) {
    this.#log = log;
    this.#words = words;
  }

  tell(fault: unknown): void {
    const reason = messageOf(fault);
    if (reason !== this.#lastReason) this.#log.warn({ reason }, this.#words);
    this.#lastReason = reason;
  }

  /** @returns whether it had failed before */
  succeeded(): boolean {
    const hadFailed = this.#lastReason !== null;
    this.#lastReason = null;
    return hadFailed;
  }
}

export interface Retries {
  readonly failures: FailureLog;
  /** Pause between two attempts. */
  readonly againMs: number;
  readonly stopped: AbortSignal;
  /** Whether a further attempt is useless. The fault is then thrown. */
  isFinal?(fault: unknown): boolean;
}

/**
 * Retries until an attempt succeeds.
 * @throws a final fault, or the last fault once it is stopped
 */
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

/** Waits for this time, or until it is stopped. */
export async function pauseUntil(ms: number, stopped: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal: stopped }).catch(() => undefined);
}
