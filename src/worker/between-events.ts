/** Work that can wait runs this long between two looks at the sockets. */
const sliceMs = 0.5;

/** Runs what can wait, a slice in each turn of the event loop, while there is any. */
export class BetweenEvents {
  readonly #run: (budgetMs: number) => boolean;
  readonly #onStep: (ms: number) => void;
  #isScheduled = false;

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
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    const startedAt = performance.now();
    const isMore = this.#run(sliceMs);
    this.#onStep(performance.now() - startedAt);
    if (isMore) this.schedule();
  }
}
