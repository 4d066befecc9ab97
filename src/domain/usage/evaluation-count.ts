/** Answers of one flag in one environment within an hour. */
export interface EvaluationCount {
  /** Unix milliseconds of its beginning. */
  readonly hour: number;
  readonly flagId: string;
  /** `soleEnvironment` in a single-environment project. */
  readonly environmentNumber: number;
  readonly on: number;
  readonly off: number;
}

export const hourMs = 60 * 60 * 1000;
/** The hours that are kept, the present one included. */
export const hoursKept = 48;
/** The hours that the console shows. */
export const hoursShown = 24;

export function hourOf(now: number): number {
  return now - (now % hourMs);
}

/** What a compiled flag counts of one environment. A moving part of its own, so that it can outlive the compiled flag. */
export interface EvaluationTally {
  readonly flagId: string;
  readonly environmentNumber: number;
  /** Since it was last collected. */
  on: number;
  off: number;
}
