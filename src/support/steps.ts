/** Work in steps of some tens of microseconds. It can be suspended after each step. */
export type Steps<Result> = Generator<void, Result, void>;

/** Makes all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
