import { monotonicMs } from '../support/monotonic-clock.ts';

/** Reads of one pass of the event loop together take about this long. */
const passMsMax = 1;

interface WaitingRead {
  readonly queuedAt: number;
  run(): void;
  end(isInTime: boolean): void;
  fail(fault: unknown): void;
}

/**
 * Runs the reads of a worker, and checks of long bodies. Most take a small part of a millisecond, some several, and each
 * connection may send one in the same pass of the event loop: hundreds together would hold up evaluations. So a pass has
 * about a millisecond for them, and the others wait for the next pass, in the order of arrival.
 */
export class ReadQueue {
  readonly #deadlineMs: number;
  readonly #waiting: WaitingRead[] = [];
  #usedMs = 0;
  #isScheduled = false;

  /** @param deadlineMs a read that has waited this long is refused */
  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** Whether a read that comes now has to wait. */
  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#usedMs >= passMsMax;
  }

  /**
   * @returns undefined: it has run. Otherwise a promise of whether it ran before its deadline, which rejects with what it
   * throws
   */
  run(read: () => void): Promise<boolean> | undefined {
    this.#schedule();
    if (!this.isBusy) {
      this.#measure(read);
      return undefined;
    }
    return new Promise((end, fail) => {
      this.#waiting.push({ queuedAt: monotonicMs(), run: read, end, fail });
    });
  }

  #measure(read: () => void): void {
    const startedAt = monotonicMs();
    try {
      read();
    } finally {
      this.#usedMs += monotonicMs() - startedAt;
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#beginPass());
  }

  #beginPass(): void {
    this.#isScheduled = false;
    this.#usedMs = 0;
    while (this.#usedMs < passMsMax) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#runWaiting(next);
    }
    this.#schedule();
  }

  #runWaiting({ queuedAt, run, end, fail }: WaitingRead): void {
    const isInTime = monotonicMs() - queuedAt < this.#deadlineMs;
    try {
      if (isInTime) this.#measure(run);
      end(isInTime);
    } catch (fault) {
      fail(fault);
    }
  }
}
