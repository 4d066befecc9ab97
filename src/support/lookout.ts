export interface LookoutPace {
  /** Milliseconds until the next check while there is work. */
  readonly busyMs: number;
  /** The same while there is none: each check wakes a sleeping thread. */
  readonly idleMs: number;
}

/** Checks something periodically, and less often while there is no work. It does not keep its thread alive. */
export class Lookout {
  readonly #look: (waitedMs: number) => boolean;
  readonly #pace: LookoutPace;
  #timer: NodeJS.Timeout;

  /** @param look receives the milliseconds for which the timer was set. @returns whether there is work */
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
