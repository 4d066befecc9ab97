import { type Static, Type } from 'typebox';
import type { Flag } from '../../domain/flag/flag.ts';
import { wholeFlag } from '../../domain/flag/whole-flag.ts';
import type { Project } from '../../domain/project/project.ts';
import { cutAt } from '../../support/code-points.ts';
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
  /** Whether requests for the name get this flag: not when another flag has had the name for longer. */
  answersToName: Type.Boolean(),
  /** Former names for which requests still get it. */
  aliases: Type.Array(text),
  description: text,
  tags: Type.Array(text),
  cohorts: Type.Array(text),
  states: Type.Record(Type.String(), stateViewSchema),
  revision,
  createdAt: time,
  updatedAt: time,
});
export type ConsoleFlagView = Static<typeof flagViewSchema>;

/** The state of a flag in an environment, as the list has it: cohorts are counted, not listed. */
export const stateKindSchema = shape({
  enabled: Type.Boolean(),
  trafficPercentage: Type.Integer({ minimum: 0, maximum: 100 }),
  /** Null: inherits. */
  cohortOverrideCount: nullable(Type.Integer({ minimum: 0 })),
  audienceId: nullable(id),
});
export type StateKind = Static<typeof stateKindSchema>;

/** A flag in the list. */
export const flagRowSchema = shape({
  id,
  name: text,
  answersToName: Type.Boolean(),
  /** Its first 200 characters, with an ellipsis where it is longer. */
  description: text,
  tags: Type.Array(text),
  cohortCount: Type.Integer({ minimum: 0 }),
  revision,
  updatedAt: time,
  /** For each of the page's `environments`, an index into its `kinds`; -1 without a state. */
  states: Type.Array(Type.Integer({ minimum: -1 })),
});
export type FlagRow = Static<typeof flagRowSchema>;

/**
 * A part of a project's flags. States are indexes: of 40 environments most are alike, and a list of 10,000 flags would
 * have 400,000 of them.
 */
export const flagPageSchema = shape({
  /** Environment numbers of the columns; only 0 in a single-environment project. */
  environments: Type.Array(Type.Integer({ minimum: 0 })),
  /** The distinct states of this page. */
  kinds: Type.Array(stateKindSchema),
  flags: Type.Array(flagRowSchema),
  /** The `after` of the next page; null on the last one. */
  next: nullable(text),
});
export type FlagPage = Static<typeof flagPageSchema>;

export const flagChangeResultSchema = shape({ changed: Type.Boolean(), flag: flagViewSchema });
export type FlagChangeResult = Static<typeof flagChangeResultSchema>;

/** A flag as the console shows it. */
export function consoleFlagView(flag: Flag, project: Project): ConsoleFlagView {
  const { id, projectId, revision, createdAt, updatedAt } = flag;
  const { name, description, tags, cohorts, states } = wholeFlag(flag, project);
  const shownStates = Array.from(
    states,
    ([number, { enabled, trafficPercentage, audienceId, cohortOverride }]) => {
      const own = cohortOverride === null ? null : [...cohortOverride];
      return [number, { enabled, trafficPercentage, audienceId, cohortOverride: own }] as const;
    },
  );
  return {
    ...{ id, projectId, name, answersToName: flag.nameSince !== null, aliases: [...flag.aliases] },
    ...{ description, tags: [...tags], cohorts: [...cohorts] },
    states: Object.fromEntries(shownStates),
    ...{ revision, createdAt, updatedAt },
  };
}

/** Characters of a description that the list has. */
export const listedDescriptionMax = 200;

/**
 * A flag as a row of the list.
 *
 * @param kindOf index of a state in the page's `kinds`
 */
export function flagRow(flag: Flag, project: Project, kindOf: (state: StateKind) => number): FlagRow {
  const { id, revision, updatedAt } = flag;
  const { name, description, tags, cohorts, states } = wholeFlag(flag, project);
  return {
    ...{ id, name, answersToName: flag.nameSince !== null },
    ...{ description: cutAt(description, listedDescriptionMax), tags: [...tags] },
    ...{ cohortCount: cohorts.length, revision, updatedAt },
    states: Array.from(states.values(), ({ enabled, trafficPercentage, cohortOverride, audienceId }) => {
      const cohortOverrideCount = cohortOverride?.length ?? null;
      return kindOf({ enabled, trafficPercentage, cohortOverrideCount, audienceId });
    }),
  };
}
