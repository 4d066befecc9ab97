import { type Static, type TSchema, Type } from 'typebox';
import { audienceRuleSchema } from './views/audience-views.ts';
import { permissionSchema, roleSchema } from './views/view-parts.ts';

/** What the console's API is sent. Lengths and contents are checked by the domain's rules; here are the shapes. */

function body<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

const text = Type.String();
/** What the sender's edit started from: when the thing has moved since, nothing is written and both are shown (409). */
const revision = Type.Integer({ minimum: 1 });
const optional = Type.Optional;
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const signInBodySchema = body({ email: text, password: text, memberId: optional(text) });
export type SignInBody = Static<typeof signInBodySchema>;
export const linkBodySchema = body({ secret: text });
export type LinkBody = Static<typeof linkBodySchema>;
export const useLinkBodySchema = body({
  secret: text,
  name: optional(text),
  email: optional(text),
  password: optional(text),
});
export type UseLinkBody = Static<typeof useLinkBodySchema>;
export const startOpenIdBodySchema = body({
  /** Of a one-time link, whose member is joined to the account that the person then signs in with. */
  linkSecret: optional(text),
  /** The page of the console to come back to. */
  back: optional(text),
});
export type StartOpenIdBody = Static<typeof startOpenIdBodySchema>;
/** `current` is needed once there is a password. */
export const changePasswordBodySchema = body({ current: optional(text), password: text });
export type ChangePasswordBody = Static<typeof changePasswordBodySchema>;

export const editOrganisationBodySchema = body({ revision, name: text });
export type EditOrganisationBody = Static<typeof editOrganisationBodySchema>;
export const inviteMemberBodySchema = body({ email: text, role: roleSchema });
export type InviteMemberBody = Static<typeof inviteMemberBodySchema>;
export const editMemberBodySchema = body({ revision, name: optional(text), role: optional(roleSchema) });
export type EditMemberBody = Static<typeof editMemberBodySchema>;

export const createProjectBodySchema = body({
  name: text,
  /** Owned by the asking member, outside the organisation. */
  isPersonal: optional(Type.Boolean()),
  isMultiEnvironment: Type.Boolean(),
  environments: optional(Type.Array(text)),
});
export type CreateProjectBody = Static<typeof createProjectBodySchema>;
export const editProjectBodySchema = body({
  revision,
  name: optional(text),
  evaluationAccess: optional(Type.Boolean()),
});
export type EditProjectBody = Static<typeof editProjectBodySchema>;
export const createEnvironmentBodySchema = body({ name: text, isProtected: optional(Type.Boolean()) });
export type CreateEnvironmentBody = Static<typeof createEnvironmentBodySchema>;
/** `revision` is the project's `environmentsRevision`; 0 is one, too. */
export const editEnvironmentBodySchema = body({
  revision: Type.Integer({ minimum: 0 }),
  name: optional(text),
  isProtected: optional(Type.Boolean()),
});
export type EditEnvironmentBody = Static<typeof editEnvironmentBodySchema>;
/** `name` is the thing's name, typed: it must be the stored one. */
export const deleteEnvironmentBodySchema = body({ revision: Type.Integer({ minimum: 0 }), name: text });
export type DeleteEnvironmentBody = Static<typeof deleteEnvironmentBodySchema>;

/** As in the API; `cohorts` of a group flag are flag-wide, those of a state its own list (null or [] inherits). */
const stateBody = body({
  enabled: optional(Type.Boolean()),
  trafficPercentage: optional(Type.Integer()),
  cohorts: optional(nullable(Type.Array(text))),
  audienceId: optional(nullable(text)),
});
/** Keyed by environment number as a decimal; `0` in a single-environment project. */
const statesBody = Type.Record(Type.String(), stateBody);
export const createConsoleFlagBodySchema = body({
  name: text,
  description: optional(text),
  tags: optional(Type.Array(text)),
  cohorts: optional(Type.Array(text)),
  states: optional(statesBody),
});
export type CreateConsoleFlagBody = Static<typeof createConsoleFlagBodySchema>;
/** A whole draft in one transaction: what is absent stays. */
export const editFlagBodySchema = body({
  revision,
  name: optional(text),
  description: optional(text),
  tags: optional(Type.Array(text)),
  cohorts: optional(Type.Array(text)),
  states: optional(statesBody),
});
export type EditFlagBody = Static<typeof editFlagBodySchema>;
export const deleteFlagBodySchema = body({ revision, name: text });
export type DeleteFlagBody = Static<typeof deleteFlagBodySchema>;
export const tryFlagBodySchema = body({
  environmentNumber: Type.Integer({ minimum: 0 }),
  targetingKey: optional(text),
  cohort: optional(text),
  /** At most 100. A name may come several times. */
  attributes: optional(Type.Array(body({ name: text, value: text }))),
});
export type TryFlagBody = Static<typeof tryFlagBodySchema>;

export const createAudienceBodySchema = body({ name: text, rules: Type.Array(audienceRuleSchema) });
export type CreateAudienceBody = Static<typeof createAudienceBodySchema>;
export const editAudienceBodySchema = body({
  revision,
  name: optional(text),
  rules: optional(Type.Array(audienceRuleSchema)),
});
export type EditAudienceBody = Static<typeof editAudienceBodySchema>;
export const deleteAudienceBodySchema = body({ revision });
export type DeleteAudienceBody = Static<typeof deleteAudienceBodySchema>;

export const createTokenBodySchema = body({
  name: text,
  permission: permissionSchema,
  /** Null: every environment, future ones included. */
  environments: nullable(Type.Array(text)),
  /** 0 is never. */
  expiryDays: Type.Union([Type.Literal(0), Type.Literal(30), Type.Literal(90), Type.Literal(365)]),
});
export type CreateTokenBody = Static<typeof createTokenBodySchema>;
