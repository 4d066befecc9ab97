/** Evaluates the flag `half` for one of the users, by index, as a program that has the flag in memory would. */
export type Evaluate = (index: number) => boolean;

/** What a contender's module exports: makes ready whatever is made once, not for each evaluation. */
export interface EvaluatorModule {
  prepare(userIds: readonly string[]): Evaluate | Promise<Evaluate>;
}

/** What an evaluation program measured. */
export interface EvaluationFigures {
  readonly evaluationsPerSecond: number;
  /** CPU time of the process, all its threads, garbage collection included. */
  readonly cpuNs: number;
}
