/** A flag's answers in one environment within an hour. */
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
/** On a node of a cluster, its own share of an hour's counts is stored so much behind the sum of all nodes. */
export const ownShareOffset = 1;
/** Hours whose counts are kept, with the present one. */
export const hoursKept = 48;
/** Hours that the console shows. */
export const hoursShown = 24;

export function hourOf(now: number): number {
  return now - (now % hourMs);
}

/** Counts of a compiled flag in one environment. An object of its own, so that it can outlive the compiled flag. */
export class EvaluationTally {
  readonly projectId: string;
  readonly flagId: string;
  readonly environmentNumber: number;
  /** Since the last collection. */
  on = 0;
  off = 0;

  constructor(projectId: string, flagId: string, environmentNumber: number) {
    this.projectId = projectId;
    this.flagId = flagId;
    this.environmentNumber = environmentNumber;
  }
}
