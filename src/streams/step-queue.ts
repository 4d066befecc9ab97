import { setImmediate } from 'node:timers/promises';

/** A longer slice would delay the requests of the same thread. */
const sliceMs = 0.5;

/** Runs jobs one after the other. Between the slices of a job the event loop handles what has arrived. */
export class StepQueue {
  #last: Promise<unknown> = Promise.resolve();
  #current: Generator<unknown, unknown> | null = null;
  #isClosed = false;

  /** @returns null when the queue was closed before the job was done */
  run<T>(job: () => Generator<unknown, T>): Promise<T | null> {
    const result = this.#last.then(() => this.#runInSlices(job));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #runInSlices<T>(job: () => Generator<unknown, T>): Promise<T | null> {
    // Also before a short job: many of them in a row would take as long as one long job.
    await setImmediate();
    const steps = job();
    this.#current = steps;
    while (!this.#isClosed) {
      const until = performance.now() + sliceMs;
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (performance.now() < until);
      await setImmediate();
    }
    return null;
  }

  /** Ends the present job, and runs no other one: nothing is read from the store any more. */
  close(): void {
    this.#isClosed = true;
    this.#current?.return(undefined);
  }
}
