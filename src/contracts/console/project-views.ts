import { type Static, Type } from 'typebox';
import type { Role } from '../../domain/member/member.ts';
import type { NameImpact } from '../../domain/project/environment-impact.ts';
import type { Project } from '../../domain/project/project.ts';
import { id, nullable, revision, roleSchema, shape, text, time } from './view-parts.ts';

export const environmentViewSchema = shape({
  /** Its identity within the project, which is never used again. */
  number: Type.Integer({ minimum: 0 }),
  name: text,
  /** Whether changes of flags here ask for a confirmation. */
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
  /** Of a single-environment project: whether changes of its flags ask for a confirmation. */
  isProtected: Type.Boolean(),
  /** The present slug, then former ones. */
  slugs: Type.Array(text),
  /** Whether callers without credentials may use a slug instead of the id. */
  isSlugPublic: Type.Boolean(),
  revision,
  /** The asking member's role in the project. */
  role: roleSchema,
  /** In the list of projects alone: its number of flags, and the time of its last change; null where the log has none. */
  flagCount: Type.Optional(Type.Integer({ minimum: 0 })),
  changedAt: Type.Optional(nullable(time)),
});
export type ProjectView = Static<typeof projectViewSchema>;

export const tokenNameSchema = shape({ id, name: text });

/** Tokens that an environment's change of name affects. */
export const environmentImpactSchema = shape({
  /** Tokens limited to the present name: they stop working for the environment. */
  tokensLosing: Type.Array(tokenNameSchema),
  /** Tokens limited to the new name: they begin to work for it. */
  tokensGaining: Type.Array(tokenNameSchema),
  /** Of a deletion that is previewed: evaluations there in the last 24 hours. */
  evaluations: Type.Optional(
    shape({
      count: Type.Integer({ minimum: 0 }),
      /** There are too many flags to count them all: there may be more evaluations. */
      isAtLeast: Type.Boolean(),
    }),
  ),
});
export type EnvironmentImpact = Static<typeof environmentImpactSchema>;

/** `impact` is what the change did to tokens. */
export const environmentChangeSchema = shape({ project: projectViewSchema, impact: environmentImpactSchema });
export type EnvironmentChange = Static<typeof environmentChangeSchema>;

/** @param role of the asking member in the project. */
export function projectView(project: Project, role: Role): ProjectView {
  const { id, name, organisationId, isMultiEnvironment, environments } = project;
  const { environmentsRevision, evaluationAccess, isProtected, slugs, isSlugPublic, revision } = project;
  return {
    ...{ id, name, isPersonal: organisationId === null, isMultiEnvironment, environments: [...environments] },
    ...{ environmentsRevision, evaluationAccess, isProtected },
    ...{ slugs: [...slugs], isSlugPublic, revision, role },
  };
}

export function environmentImpactView({ tokensLosing, tokensGaining }: NameImpact): EnvironmentImpact {
  return { tokensLosing: [...tokensLosing], tokensGaining: [...tokensGaining] };
}
