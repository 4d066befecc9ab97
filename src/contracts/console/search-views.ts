import { type Static, Type } from 'typebox';
import { id, nullable, revision, shape, text } from './view-parts.ts';

const projectFields = { projectId: id, projectName: text } as const;

export const foundFlagViewSchema = shape({
  kind: Type.Literal('flag'),
  ...projectFields,
  id,
  name: text,
  revision,
  /** Flag-wide; the only list of a single-environment flag. */
  cohortCount: Type.Integer({ minimum: 0 }),
  /** Its states in production, in the project's order. */
  states: Type.Array(
    shape({
      /** 0 in a single-environment project, whose name is then empty. */
      environment: Type.Integer({ minimum: 0 }),
      name: text,
      isProtected: Type.Boolean(),
      enabled: Type.Boolean(),
      trafficPercentage: Type.Integer({ minimum: 0, maximum: 100 }),
      /** Null: inherits. */
      cohortOverrideCount: nullable(Type.Integer({ minimum: 0 })),
      audienceId: nullable(id),
    }),
  ),
});
export type FoundFlagView = Static<typeof foundFlagViewSchema>;

export const searchResultSchema = Type.Union([
  foundFlagViewSchema,
  shape({ kind: Type.Literal('audience'), ...projectFields, id, name: text }),
  shape({
    kind: Type.Literal('environment'),
    ...projectFields,
    number: Type.Integer({ minimum: 0 }),
    name: text,
    isProtected: Type.Boolean(),
  }),
  shape({ kind: Type.Literal('project'), id, name: text }),
]);
export type SearchResult = Static<typeof searchResultSchema>;

export const searchAnswerSchema = shape({
  results: Type.Array(searchResultSchema),
  /** Whether these are all there are; false when a bound was met. */
  isComplete: Type.Boolean(),
});
export type SearchAnswer = Static<typeof searchAnswerSchema>;
