import { type PackedList, packList } from '../../support/packed-list.ts';
import type { Flag, PackedFlag, StateOf } from '../flag/flag.ts';

export type EvaluableState = StateOf<PackedList>;

/** The parts of a flag that evaluation needs: a megabyte of cohorts stays in its stored bytes. */
export type EvaluableFlag = Pick<PackedFlag, 'id' | 'projectId' | 'name' | 'cohorts' | 'states' | 'revision'>;

export function evaluableOf({ id, projectId, name, cohorts, states, revision }: Flag): EvaluableFlag {
  const evaluableStates = new Map<number, EvaluableState>();
  for (const [number, state] of states) {
    const { cohortOverride } = state;
    evaluableStates.set(number, {
      ...state,
      cohortOverride: cohortOverride === null ? null : packList(cohortOverride),
    });
  }
  return { id, projectId, name, cohorts: packList(cohorts), states: evaluableStates, revision };
}
