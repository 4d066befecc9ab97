/** Work in steps of some tens of microseconds. It can be suspended after each step. */
export type Steps<Result> = Generator<void, Result, void>;
