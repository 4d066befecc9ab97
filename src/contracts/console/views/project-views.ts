import { type Static, Type } from 'typebox';
import { id, revision, roleSchema, shape, text } from './view-parts.ts';

export const environmentViewSchema = shape({
  /** Its identity within the project; never used again. */
  number: Type.Integer({ minimum: 0 }),
  name: text,
  /** Changes of flags here ask for a confirmation. */
  isProtected: Type.Boolean(),
});
export type EnvironmentView = Static<typeof environmentViewSchema>;

export const projectViewSchema = shape({
  id,
  name: text,
  isPersonal: Type.Boolean(),
  isMultiEnvironment: Type.Boolean(),
  /** Empty for a single-environment project. */
  environments: Type.Array(environmentViewSchema),
  environmentsRevision: Type.Integer({ minimum: 0 }),
  evaluationAccess: Type.Boolean(),
  revision,
  /** What the asking member is here. */
  role: roleSchema,
});
export type ProjectView = Static<typeof projectViewSchema>;

export const tokenNameSchema = shape({ id, name: text });

/** Tokens that a name of an environment concerns. */
export const environmentImpactSchema = shape({
  /** Limited to the present name: they stop working for it. */
  tokensLosing: Type.Array(tokenNameSchema),
  /** Limited to the new name: they begin to work for it. */
  tokensGaining: Type.Array(tokenNameSchema),
});
export type EnvironmentImpact = Static<typeof environmentImpactSchema>;

/** `impact` is what has become true with the change. */
export const environmentChangeSchema = shape({ project: projectViewSchema, impact: environmentImpactSchema });
export type EnvironmentChange = Static<typeof environmentChangeSchema>;
