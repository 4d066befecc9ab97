import { monotonicMs } from './monotonic-clock.ts';

/** A check that is later than this many intervals counts as this late. */
const lateIntervalsMax = 10;

/**
 * A clock that counts only while it is read regularly. When a process is stopped for a minute, or a machine sleeps, no
 * thread has hung.
 */
export class WatchedTime {
  readonly #stepMaxMs: number;
  #lookedAt: number;
  #passedMs = 0;

  /** @param intervalMs how often the clock is read */
  constructor(intervalMs: number, now = monotonicMs()) {
    this.#stepMaxMs = intervalMs * lateIntervalsMax;
    this.#lookedAt = now;
  }

  /** @returns milliseconds since the beginning, without the time in which the process could not run */
  look(now = monotonicMs()): number {
    this.#passedMs += Math.min(now - this.#lookedAt, this.#stepMaxMs);
    this.#lookedAt = now;
    return this.#passedMs;
  }
}
