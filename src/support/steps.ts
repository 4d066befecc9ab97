/** Work in steps of some tens of microseconds, after each of which it can be left for later. */
export type Steps<Result> = Generator<void, Result, void>;

/** Makes all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Work that is done in steps of some tens of microseconds each, whatever there is to do. */
export interface SlicedWork {
  /** Memory that is kept for as long as it waits. */
  readonly heldBytes: number;
  /** @returns whether there is more to do */
  step(): boolean;
}

/** Takes work that can wait. */
export interface WorkQueue {
  /** @returns false when there is no room for it: it has to do without, and may ask again later */
  add(work: SlicedWork): boolean;
}
