import { type Static, Type } from 'typebox';
import type { Flag, FlagOf } from '../../domain/flag/flag.ts';
import { wholeFlag } from '../../domain/flag/whole-flag.ts';
import type { Project } from '../../domain/project/project.ts';
import { id, nullable, revision, shape, text, time } from './view-parts.ts';

export const stateViewSchema = shape({
  enabled: Type.Boolean(),
  trafficPercentage: Type.Integer({ minimum: 0, maximum: 100 }),
  /** The environment's own list; null inherits the flag-wide one. Always null in a single-environment project. */
  cohortOverride: nullable(Type.Array(text)),
  audienceId: nullable(id),
});
export type StateView = Static<typeof stateViewSchema>;

/**
 * A whole flag. The keys of `states` are environment numbers as decimals; in a single-environment project only `0`, and
 * `cohorts` is its only list.
 */
export const flagViewSchema = shape({
  id,
  projectId: id,
  name: text,
  description: text,
  tags: Type.Array(text),
  cohorts: Type.Array(text),
  states: Type.Record(Type.String(), stateViewSchema),
  revision,
  createdAt: time,
  updatedAt: time,
});
export type ConsoleFlagView = Static<typeof flagViewSchema>;

/** A flag in the list: cohorts are counted, not listed. `states` as above. */
export const flagRowSchema = shape({
  id,
  name: text,
  description: text,
  tags: Type.Array(text),
  cohortCount: Type.Integer({ minimum: 0 }),
  states: Type.Record(
    Type.String(),
    shape({
      enabled: Type.Boolean(),
      trafficPercentage: Type.Integer({ minimum: 0, maximum: 100 }),
      /** Null: inherits. */
      cohortOverrideCount: nullable(Type.Integer({ minimum: 0 })),
      audienceId: nullable(id),
    }),
  ),
  revision,
  updatedAt: time,
});
export type FlagRow = Static<typeof flagRowSchema>;

export const flagChangeResultSchema = shape({ changed: Type.Boolean(), flag: flagViewSchema });
export type FlagChangeResult = Static<typeof flagChangeResultSchema>;

/** A flag as the console shows it. */
export function consoleFlagView(flag: Flag, project: Project): ConsoleFlagView {
  return flagViewOf(flag, project) as ConsoleFlagView;
}

/** The same for a flag whose lists may be packed. */
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

/** A flag as a row of the list. @param lengthOf number of items in a list of cohorts */
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
