import type { Flag, FlagOf } from '../../domain/flag/flag.ts';
import { wholeFlag } from '../../domain/flag/whole-flag.ts';
import type { Project } from '../../domain/project/project.ts';
import type { ConsoleFlagView, FlagRow } from './views/flag-views.ts';

/** A flag as the console shows it. */
export function consoleFlagView(flag: Flag, project: Project): ConsoleFlagView {
  return flagViewOf(flag, project) as ConsoleFlagView;
}

/** As `consoleFlagView`, of a flag whose lists may be packed. */
export function flagViewOf<List>(flag: FlagOf<List>, project: Project): object {
  const { id, projectId, revision, createdAt, updatedAt } = flag;
  const { name, description, tags, cohorts, states } = wholeFlag(flag, project);
  const shownStates = Array.from(
    states,
    ([number, { enabled, trafficPercentage, audienceId, cohortOverride }]) => {
      return [number, { enabled, trafficPercentage, audienceId, cohortOverride }] as const;
    },
  );
  return {
    ...{ id, projectId, name, description, tags, cohorts },
    states: Object.fromEntries(shownStates),
    ...{ revision, createdAt, updatedAt },
  };
}

/** A flag as a row of the list. @param lengthOf of a list of cohorts */
export function flagRow<List>(
  flag: FlagOf<List>,
  project: Project,
  lengthOf: (list: List) => number,
): FlagRow {
  const { id, revision, updatedAt } = flag;
  const { name, description, tags, cohorts, states } = wholeFlag(flag, project);
  const countedStates = Array.from(states, ([number, { cohortOverride, ...state }]) => {
    const cohortOverrideCount = cohortOverride === null ? null : lengthOf(cohortOverride);
    return [number, { ...state, cohortOverrideCount }] as const;
  });
  return {
    ...{ id, name, description, tags: [...tags], cohortCount: lengthOf(cohorts) },
    states: Object.fromEntries(countedStates),
    ...{ revision, updatedAt },
  };
}
