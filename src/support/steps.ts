/** Work in steps of some tens of microseconds. It can be suspended after each step. */
export type Steps<Result> = Generator<void, Result, void>;

/** Makes all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Work that is always done in steps of some tens of microseconds. */
export interface SlicedWork {
  /** Memory that it holds while it waits. */
  readonly heldBytes: number;
  /** @returns whether there is more to do */
  step(): boolean;
}

/** Takes deferred work. */
export interface WorkQueue {
  /** @returns false when there is no room: the caller does without, and may ask again later */
  add(work: SlicedWork): boolean;
}
