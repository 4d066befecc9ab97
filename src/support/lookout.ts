export interface LookoutPace {
  /** Milliseconds until the next look, while there is something to see. */
  readonly busyMs: number;
  /** While there is not: each look wakes a thread that sleeps. */
  readonly idleMs: number;
}

/** Looks at something again and again, and seldom while there is nothing to see. It does not keep its thread alive. */
export class Lookout {
  readonly #look: (waitedMs: number) => boolean;
  readonly #pace: LookoutPace;
  #timer: NodeJS.Timeout;

  /** @param look told how long the timer was set to. @returns whether there is something to see */
  constructor(look: (waitedMs: number) => boolean, pace: LookoutPace) {
    this.#look = look;
    this.#pace = pace;
    this.#timer = this.#wait(pace.busyMs);
  }

  #wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const isBusy = this.#look(ms);
      this.#timer = this.#wait(isBusy ? this.#pace.busyMs : this.#pace.idleMs);
    }, ms).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
