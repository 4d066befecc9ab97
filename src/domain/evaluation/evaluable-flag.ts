import { type PackedList, packList } from '../../support/packed-list.ts';
import type { Flag, PackedFlag, StateOf } from '../flag/flag.ts';

export type EvaluableState = StateOf<PackedList>;

/** The parts of a flag that evaluation needs: a megabyte of cohorts stays in its stored bytes. */
export type EvaluableFlag = Pick<
  PackedFlag,
  'id' | 'projectId' | 'name' | 'nameSince' | 'aliases' | 'cohorts' | 'states' | 'revision'
>;

export function evaluableOf(flag: Flag): EvaluableFlag {
  const { id, projectId, name, nameSince, aliases, cohorts, states, revision } = flag;
  const evaluableStates = new Map<number, EvaluableState>();
  for (const [number, state] of states) {
    const { cohortOverride } = state;
    evaluableStates.set(number, {
      ...state,
      cohortOverride: cohortOverride === null ? null : packList(cohortOverride),
    });
  }
  const names = { name, nameSince, aliases };
  return { id, projectId, ...names, cohorts: packList(cohorts), states: evaluableStates, revision };
}
