import type { StateOf } from './flag.ts';

/** The callers for which a state answers true: none because it is off, none although it is on, some, or all. */
export type Reach = 'off' | 'nobody' | 'some' | 'all';

/** A state with its own list of cohorts, or with the number of its members. */
export type ReachedState = Pick<StateOf<never>, 'enabled' | 'trafficPercentage' | 'audienceId'> &
  (
    | { readonly cohortOverride: { readonly length: number } | null }
    | { readonly cohortOverrideCount: number | null }
  );

/** @param cohortCount of the flag-wide list, which counts unless the state has a list of its own */
function cohortsIn(state: ReachedState, cohortCount: number): number {
  const own = 'cohortOverrideCount' in state ? state.cohortOverrideCount : state.cohortOverride?.length;
  return own ?? cohortCount;
}

/**
 * The callers that a state reaches (specification: order of the rules). A listed cohort is on at any percentage; the
 * audience and the percentage limit all other callers, so at 0 % only listed cohorts are reached.
 *
 * @param cohortCount number of flag-wide cohorts
 */
export function reachOf(state: ReachedState, cohortCount: number): Reach {
  const { enabled, trafficPercentage, audienceId } = state;
  if (!enabled) return 'off';
  if (trafficPercentage === 0) return cohortsIn(state, cohortCount) > 0 ? 'some' : 'nobody';
  return trafficPercentage === 100 && audienceId === null ? 'all' : 'some';
}
