import { setImmediate } from 'node:timers/promises';

/** A longer slice would delay the requests of the same thread. */
const sliceMs = 0.5;
/** A job that needs more slices is long: shorter jobs overtake it. */
const shortSlices = 20;

interface Job {
  readonly begin: () => Generator<unknown, unknown>;
  /** Null until its first slice. */
  steps: Generator<unknown, unknown> | null;
  slices: number;
  settle(result: unknown): void;
  fail(fault: unknown): void;
}

/**
 * Runs jobs in slices. Between two slices the event loop handles what has arrived. Slices of the oldest short job and of
 * the oldest long job alternate, so that a long job delays neither the requests nor the short jobs of its thread.
 */
export class StepQueue {
  readonly #short: Job[] = [];
  readonly #long: Job[] = [];
  #isRunning = false;
  #isClosed = false;

  /** @returns null when the queue was closed before the job was done */
  run<T>(begin: () => Generator<unknown, T>): Promise<T | null> {
    if (this.#isClosed) return Promise.resolve(null);
    return new Promise<T | null>((resolve, fail) => {
      // A job settles with the result of its own generator.
      const settle = (result: unknown): void => resolve(result as T | null);
      this.#short.push({ begin, steps: null, slices: 0, settle, fail });
      if (!this.#isRunning) void this.#work();
    });
  }

  /** Never rejects: the fault of a job is its caller's. */
  async #work(): Promise<void> {
    this.#isRunning = true;
    for (let turn = 0; this.#short.length + this.#long.length > 0; turn += 1) {
      // Also before a short job: many of them in a row would take as long as one long job.
      await setImmediate();
      const [lane, other] = turn % 2 === 0 ? [this.#short, this.#long] : [this.#long, this.#short];
      this.#advance(lane.length > 0 ? lane : other);
    }
    this.#isRunning = false;
  }

  #advance(lane: Job[]): void {
    const [job] = lane;
    if (job === undefined) return;
    try {
      if (this.#runSlice(job)) lane.shift();
      else if (lane === this.#short && job.slices >= shortSlices) this.#long.push(...lane.splice(0, 1));
    } catch (fault) {
      lane.shift();
      job.fail(fault);
    }
  }

  /** @returns whether the job is done */
  #runSlice(job: Job): boolean {
    job.steps ??= job.begin();
    job.slices += 1;
    const until = performance.now() + sliceMs;
    do {
      const step = job.steps.next();
      if (step.done === true) {
        job.settle(step.value);
        return true;
      }
    } while (performance.now() < until);
    return false;
  }

  /** Ends all jobs: nothing is read from the store any more. */
  close(): void {
    this.#isClosed = true;
    for (const job of [...this.#short.splice(0), ...this.#long.splice(0)]) {
      job.steps?.return(undefined);
      job.settle(null);
    }
  }
}
