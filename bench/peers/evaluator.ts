/** Evaluates the flag `half`, which is in memory, for one of the users, by index. */
export type Evaluate = (index: number) => boolean;

/** The same of a library whose answers are promises: the caller waits for each before it asks again. */
type EvaluateLater = (index: number) => Promise<boolean>;

/** What a contender's module exports. It prepares all that is made once and not for each evaluation. */
export interface EvaluatorModule {
  prepare(userIds: readonly string[]): Evaluate | Promise<Evaluate | EvaluateLater>;
  /** Whether it evaluates later. */
  readonly isAsync?: boolean;
}

/** The figures of an evaluation program. */
export interface EvaluationFigures {
  readonly evaluationsPerSecond: number;
  /** CPU time of the process, all its threads, garbage collection included. */
  readonly cpuNs: number;
}
