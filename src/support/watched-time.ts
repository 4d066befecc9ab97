import { monotonicMs } from './monotonic-clock.ts';

/** A look that comes this many intervals late counts as one that is this late. */
const lateIntervalsMax = 10;

/**
 * A clock that counts only while somebody looks at it. A process that is stopped for a minute, or a machine that sleeps,
 * has hung none of its threads.
 */
export class WatchedTime {
  readonly #stepMaxMs: number;
  #lookedAt: number;
  #passedMs = 0;

  /** @param intervalMs how often somebody looks */
  constructor(intervalMs: number, now = monotonicMs()) {
    this.#stepMaxMs = intervalMs * lateIntervalsMax;
    this.#lookedAt = now;
  }

  /** @returns milliseconds since the beginning, without those in which nobody could look */
  look(now = monotonicMs()): number {
    this.#passedMs += Math.min(now - this.#lookedAt, this.#stepMaxMs);
    this.#lookedAt = now;
    return this.#passedMs;
  }
}
