import { type PackedList, packList } from '../../support/packed-list.ts';
import type { Flag, PackedFlag, StateOf } from '../flag/flag.ts';

export type EvaluableState = StateOf<PackedList>;

/** What evaluation needs of a flag: a megabyte of cohorts stays the bytes that it was stored as. */
export type EvaluableFlag = Pick<PackedFlag, 'id' | 'projectId' | 'name' | 'cohorts' | 'states'>;

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
