import { type Static, Type } from 'typebox';
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
 * A flag whole. `states` is keyed by environment number as a decimal; `0` alone in a single-environment project, whose
 * `cohorts` are its only list.
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
