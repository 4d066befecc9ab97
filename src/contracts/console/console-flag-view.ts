import type { Flag } from '../../domain/flag/flag.ts';
import { wholeFlag } from '../../domain/flag/whole-flag.ts';
import type { Project } from '../../domain/project/project.ts';
import type { ConsoleFlagView, FlagRow, StateView } from './views/flag-views.ts';

/** A flag as the console shows it. */
export function consoleFlagView(flag: Flag, project: Project): ConsoleFlagView {
  const { id, projectId, revision, createdAt, updatedAt } = flag;
  const { name, description, tags, cohorts, states } = wholeFlag(flag, project);
  const shownStates = Array.from(states, ([number, { cohortOverride, ...state }]): [number, StateView] => {
    return [number, { ...state, cohortOverride: cohortOverride === null ? null : [...cohortOverride] }];
  });
  return {
    ...{ id, projectId, name, description, tags: [...tags], cohorts: [...cohorts] },
    states: Object.fromEntries(shownStates),
    ...{ revision, createdAt, updatedAt },
  };
}

/** A flag as a row of the list. */
export function flagRow(flag: Flag, project: Project): FlagRow {
  const { id, revision, updatedAt } = flag;
  const { name, description, tags, cohorts, states } = wholeFlag(flag, project);
  const countedStates = Array.from(states, ([number, { cohortOverride, ...state }]) => {
    return [number, { ...state, cohortOverrideCount: cohortOverride?.length ?? null }] as const;
  });
  return {
    ...{ id, name, description, tags: [...tags], cohortCount: cohorts.length },
    states: Object.fromEntries(countedStates),
    ...{ revision, updatedAt },
  };
}
