/** A request that comes meanwhile waits so long: less than its own way through the machine takes. */
const leastMs = 0.1;
/** However many requests there are: with what a step may take beyond its budget, less than a millisecond. */
const mostMs = 0.5;
/** A slice may take this part of the time since the one before. */
const partOfSince = 0.5;

/**
 * How long work that can wait may go on between two looks at the sockets: hardly anybody notices it where there are few
 * requests, and it keeps its share of the time where there are many.
 * @param sinceMs how long ago it was its turn before
 */
export function sliceBudgetMs(sinceMs: number): number {
  return Math.min(mostMs, Math.max(leastMs, sinceMs * partOfSince));
}

/** Of the thread's time, once what was saved up is used: requests, and other threads of the machine, have the rest. */
const share = 1 / 3;
/** So much may be saved up: enough for a flag with a megabyte of cohorts without a pause. */
const savedMsMax = 5;
const pauseMs = 1;

/**
 * Runs what can wait, a slice in each turn of the event loop, while there is any: at once after a rest, then for a share of
 * the thread's time, however much there is.
 */
export class BetweenEvents {
  readonly #run: (budgetMs: number) => boolean;
  readonly #onStep: (ms: number) => void;
  #isScheduled = false;
  #savedMs = savedMsMax;
  #endedAt = 0;

  /**
   * @param run works for about so many milliseconds. @returns whether more waits
   * @param onStep told how long each slice took
   */
  constructor(run: (budgetMs: number) => boolean, onStep: (ms: number) => void) {
    this.#run = run;
    this.#onStep = onStep;
  }

  /** There is work. */
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
