import { type Static, Type } from 'typebox';
import type { Role } from '../../domain/member/member.ts';
import type { NameImpact } from '../../domain/project/environment-impact.ts';
import type { Project } from '../../domain/project/project.ts';
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

/** @param role what the asking member is in the project. */
export function projectView(project: Project, role: Role): ProjectView {
  const { id, name, organisationId, isMultiEnvironment, environments } = project;
  const { environmentsRevision, evaluationAccess, revision } = project;
  return {
    ...{ id, name, isPersonal: organisationId === null, isMultiEnvironment, environments: [...environments] },
    ...{ environmentsRevision, evaluationAccess, revision, role },
  };
}

export function environmentImpactView({ tokensLosing, tokensGaining }: NameImpact): EnvironmentImpact {
  return { tokensLosing: [...tokensLosing], tokensGaining: [...tokensGaining] };
}
