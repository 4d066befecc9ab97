import type { Timings } from '../timings.ts';

/**
 * Decides how long to wait before the next connection: a random time from one second to a bound that grows to thirty. So a
 * thousand clients spread out, and none connects more than once a second.
 */
export class Backoff {
  readonly #timings: Timings;
  #failures = 0;

  constructor(timings: Timings) {
    this.#timings = timings;
  }

  /** @param connectedMs how long the connection that ended had been up */
  noteEnd(connectedMs: number): void {
    if (connectedMs >= this.#timings.steadyMs) this.#failures = 0;
  }

  /**
   * @param wantedMs the least wait, which the service asked for
   * @returns milliseconds
   */
  next(wantedMs: number | null): number {
    const { backoffMinMs, backoffFirstMs, backoffMaxMs, retryAfterMaxMs } = this.#timings;
    const upper = Math.min(backoffMaxMs, backoffFirstMs * 2 ** this.#failures);
    // The exponent is bounded, too: a client may fail for years.
    if (upper < backoffMaxMs) this.#failures += 1;
    const jitter = backoffMinMs + Math.random() * Math.max(0, upper - backoffMinMs);
    return wantedMs === null ? jitter : Math.min(wantedMs, retryAfterMaxMs) + jitter;
  }

  /** @returns a time that differs from client to client by up to a tenth */
  static about(ms: number): number {
    return ms * (0.95 + Math.random() / 10);
  }
}
