import { soleEnvironment } from '../project/project.ts';

/** What a flag is set to in one environment. */
export interface FlagState {
  readonly enabled: boolean;
  /** Whole number, 0 to 100. */
  readonly trafficPercentage: number;
  /** The environment's own list, never empty; null inherits the flag-wide list (an empty list always means inherit). */
  readonly cohortOverride: readonly string[] | null;
  /** Null means everyone. */
  readonly audienceId: string | null;
}

/**
 * A flag of either kind. A single-environment flag is a group flag with one environment (`soleEnvironment`) whose
 * flag-wide list is always empty, so that one set of rules serves both.
 */
export interface Flag {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Flag-wide cohorts. Always empty on a single-environment flag. */
  readonly cohorts: readonly string[];
  /** By environment number; an environment without an entry has `initialState`. */
  readonly states: ReadonlyMap<number, FlagState>;
  /** Counts the changes of this flag, from 1. */
  readonly revision: number;
  readonly createdAt: number;
  /** Unix milliseconds; strictly increases with each change of the flag. */
  readonly updatedAt: number;
}

export const initialState: FlagState = {
  enabled: false,
  trafficPercentage: 0,
  cohortOverride: null,
  audienceId: null,
};

/** @param environmentNumber of an environment of the flag's project, or `soleEnvironment`. */
export function stateIn(flag: Flag, environmentNumber: number = soleEnvironment): FlagState {
  return flag.states.get(environmentNumber) ?? initialState;
}

/** The environment's own override if it has one, otherwise the flag-wide list (specification: environments form). */
export function effectiveCohorts(flag: Flag, state: FlagState): readonly string[] {
  return state.cohortOverride ?? flag.cohorts;
}

/** The larger of the clock and the last value plus one, so that `updatedAt` strictly increases (decisions). */
export function nextUpdatedAt(previous: number, now: number): number {
  return Math.max(now, previous + 1);
}
