import { type PackedList, packList } from '../../support/packed-list.ts';
import type { Flag } from '../flag/flag.ts';

/** As `FlagState`, its list packed. */
export interface EvaluableState {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  /** Null inherits the flag-wide list. */
  readonly cohortOverride: PackedList | null;
  readonly audienceId: string | null;
}

/** What evaluation needs of a flag: a megabyte of cohorts stays the bytes that it was stored as. */
export interface EvaluableFlag {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** Flag-wide. */
  readonly cohorts: PackedList;
  readonly states: ReadonlyMap<number, EvaluableState>;
}

/** As `initialState`. */
export const initialEvaluableState: EvaluableState = {
  enabled: false,
  trafficPercentage: 0,
  cohortOverride: null,
  audienceId: null,
};

export function evaluableOf({ id, projectId, name, cohorts, states }: Flag): EvaluableFlag {
  const evaluableStates = new Map<number, EvaluableState>();
  for (const [number, state] of states) {
    const { cohortOverride } = state;
    evaluableStates.set(number, {
      ...state,
      cohortOverride: cohortOverride === null ? null : packList(cohortOverride),
    });
  }
  return { id, projectId, name, cohorts: packList(cohorts), states: evaluableStates };
}
