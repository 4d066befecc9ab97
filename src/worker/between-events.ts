/** A request that arrives meanwhile waits this long, which is less than a request takes through the machine. */
const leastMs = 0.1;
/** The limit even with many requests: with what a step may take beyond its budget, less than a millisecond. */
const mostMs = 0.5;
/** A slice may take this part of the time since the last one. */
const partOfSince = 0.5;

/**
 * How long deferred work may go on between two polls of the sockets: with few requests they hardly notice it, and with
 * many the work keeps its share of the time.
 * @param sinceMs milliseconds since the last slice
 */
export function sliceBudgetMs(sinceMs: number): number {
  return Math.min(mostMs, Math.max(leastMs, sinceMs * partOfSince));
}

/** The share of the thread's time after the saved time is used. The rest is for requests and other threads. */
const share = 1 / 3;
/** How much time may be saved: enough for a flag with a megabyte of cohorts without a pause. */
const savedMsMax = 5;
const pauseMs = 1;

/**
 * Runs deferred work, a slice in each turn of the event loop: at once after a rest, then for a fixed share of the
 * thread's time.
 */
export class BetweenEvents {
  readonly #run: (budgetMs: number) => boolean;
  readonly #onStep: (ms: number) => void;
  #isScheduled = false;
  #savedMs = savedMsMax;
  #endedAt = 0;

  /**
   * @param run works for about so many milliseconds. @returns whether there is more to do
   * @param onStep receives how long each slice took
   */
  constructor(run: (budgetMs: number) => boolean, onStep: (ms: number) => void) {
    this.#run = run;
    this.#onStep = onStep;
  }

  /** Call it when there is work. */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (this.#savedMs > 0) setImmediate(() => this.#turn());
    else setTimeout(() => this.#turn(), pauseMs);
  }

  #turn(): void {
    this.#isScheduled = false;
    const startedAt = performance.now();
    const rested = ((startedAt - this.#endedAt) * share) / (1 - share);
    this.#savedMs = Math.min(savedMsMax, this.#savedMs + rested);
    const isMore = this.#run(sliceBudgetMs(startedAt - this.#endedAt));
    this.#endedAt = performance.now();
    const tookMs = this.#endedAt - startedAt;
    this.#savedMs -= tookMs;
    this.#onStep(tookMs);
    if (isMore) this.schedule();
  }
}
