import { type Static, type TSchema, Type } from 'typebox';

/** What the console's API shows. Times are Unix milliseconds; ids are 20 characters; a revision counts changes from 1. */

function shape<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

const text = Type.String();
const id = Type.String({ pattern: '^[0-9A-Za-z]{20}$' });
const time = Type.Integer({ minimum: 0 });
const revision = Type.Integer({ minimum: 1 });
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const roleSchema = Type.Union([
  Type.Literal('viewer'),
  Type.Literal('editor'),
  Type.Literal('admin'),
  Type.Literal('owner'),
]);
export const permissionSchema = Type.Union([Type.Literal('read'), Type.Literal('write')]);

export const memberViewSchema = shape({
  id,
  name: text,
  email: text,
  role: roleSchema,
  createdAt: time,
  revision,
  /** How the member can sign in. */
  hasPassword: Type.Boolean(),
  hasIdentity: Type.Boolean(),
});
export type MemberView = Static<typeof memberViewSchema>;

export const organisationViewSchema = shape({
  id,
  name: text,
  plan: Type.Union([Type.Literal('free'), Type.Literal('teams'), Type.Literal('enterprise')]),
  trialEndsAt: nullable(time),
  subscription: Type.Union([Type.Literal('active'), Type.Literal('lapsed')]),
  /** Whether the Management API, and what goes with it, is available now. */
  isEligible: Type.Boolean(),
  revision,
});
export type OrganisationView = Static<typeof organisationViewSchema>;

/** Denial emails of the organisation that were not sent, or not to everybody. */
export const mailStateSchema = shape({
  waiting: Type.Integer({ minimum: 0 }),
  /** What went wrong with the newest of them that was tried; null when none was. */
  waitingFault: nullable(text),
  /** Given up: tried once more when the service starts. */
  failed: Type.Integer({ minimum: 0 }),
  lastFailure: nullable(shape({ at: time, fault: text })),
});
export type MailState = Static<typeof mailStateSchema>;

/** `isSignedIn: false` comes without the rest. */
export const sessionViewSchema = shape({
  isSignedIn: Type.Boolean(),
  /** The name of the OpenID provider to sign in with; null when none is configured. */
  openIdName: nullable(text),
  sessionId: Type.Optional(id),
  member: Type.Optional(memberViewSchema),
  organisation: Type.Optional(nullable(organisationViewSchema)),
  /** Whether denial emails go out: SMTP is configured. */
  isMailConfigured: Type.Optional(Type.Boolean()),
  docsUrl: Type.Optional(text),
  baseUrl: Type.Optional(text),
});
export type SessionView = Static<typeof sessionViewSchema>;

/** A person with one password in several organisations says which. */
export const signInAnswerSchema = shape({
  /** Empty when the session has begun. */
  choices: Type.Array(shape({ memberId: id, organisationName: text })),
});
export type SignInAnswer = Static<typeof signInAnswerSchema>;

/** Where the browser goes now: a page of the OpenID provider. */
export const openIdStartSchema = shape({ url: text });
export type OpenIdStart = Static<typeof openIdStartSchema>;

export const sessionRowSchema = shape({
  id,
  isCurrent: Type.Boolean(),
  createdAt: time,
  lastSeenAt: time,
  endsAt: time,
  address: text,
  userAgent: text,
});
export type SessionRow = Static<typeof sessionRowSchema>;

export const linkViewSchema = shape({
  kind: Type.Union([Type.Literal('invitation'), Type.Literal('first-owner'), Type.Literal('sign-in')]),
  /** Null where the link signs in somebody who belongs to none. */
  organisationName: nullable(text),
  email: nullable(text),
  name: nullable(text),
  role: nullable(roleSchema),
  expiresAt: time,
  /** Whether using it asks for a name, or for a password. */
  needsName: Type.Boolean(),
  needsPassword: Type.Boolean(),
});
export type LinkView = Static<typeof linkViewSchema>;

export const invitationRowSchema = shape({
  id,
  email: text,
  role: roleSchema,
  createdAt: time,
  expiresAt: time,
  createdByName: nullable(text),
});
export type InvitationRow = Static<typeof invitationRowSchema>;

/** A link that was just made: shown once, to be handed over by whoever made it. */
export const madeLinkSchema = shape({ id, url: text, expiresAt: time });
export type MadeLink = Static<typeof madeLinkSchema>;

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

/** One rule's part in an answer, in the order of the rules. */
export const trialStepSchema = shape({
  rule: Type.Union([
    Type.Literal('switch'),
    Type.Literal('cohort'),
    Type.Literal('audience'),
    Type.Literal('percentage'),
  ]),
  /** `decides` ends it, `passes` goes on to the next rule, `not-reached` comes after the end. */
  outcome: Type.Union([Type.Literal('decides'), Type.Literal('passes'), Type.Literal('not-reached')]),
  /** A sentence for people. */
  explanation: text,
});
export const trialSchema = shape({
  enabled: Type.Boolean(),
  reason: text,
  /** 0 to below 100, in hundredths: where the bucketing key falls; null without a key. */
  bucketPercent: nullable(Type.Number()),
  steps: Type.Array(trialStepSchema),
});
export type Trial = Static<typeof trialSchema>;

export const evaluationCountsSchema = shape({
  /** Beginning of each hour, ascending; the last is the present one. */
  hours: Type.Array(time),
  series: Type.Array(
    shape({
      environmentNumber: Type.Integer({ minimum: 0 }),
      on: Type.Array(Type.Integer({ minimum: 0 })),
      off: Type.Array(Type.Integer({ minimum: 0 })),
    }),
  ),
});
export type EvaluationCounts = Static<typeof evaluationCountsSchema>;

export const audienceRuleSchema = shape({ attribute: text, values: Type.Array(text) });
export const audienceViewSchema = shape({
  id,
  projectId: id,
  name: text,
  rules: Type.Array(audienceRuleSchema),
  createdAt: time,
  updatedAt: time,
  revision,
  /** Where it is attached: for each flag the environments' numbers. The first 200 flags; `useCount` counts all. */
  uses: Type.Array(shape({ flagId: id, flagName: text, environmentNumbers: Type.Array(Type.Integer()) })),
  useCount: Type.Integer({ minimum: 0 }),
});
export type AudienceView = Static<typeof audienceViewSchema>;

export const tokenViewSchema = shape({
  id,
  name: text,
  permission: permissionSchema,
  /** Null: every environment. Names, also of environments that are gone. */
  environments: nullable(Type.Array(text)),
  status: Type.Union([Type.Literal('active'), Type.Literal('revoked'), Type.Literal('expired')]),
  /** 0 means never. */
  expiresAt: time,
  createdAt: time,
  createdById: nullable(id),
  createdByName: nullable(text),
  revokedAt: nullable(time),
  /** Null: never, or not for as long as it is kept. */
  lastUsedAt: nullable(time),
  lastDeniedAt: nullable(time),
  /** Whether the asking member may revoke and rotate it. */
  isManageable: Type.Boolean(),
});
export type TokenView = Static<typeof tokenViewSchema>;

/** The secret stands in this answer alone, once. */
export const madeTokenSchema = shape({ token: tokenViewSchema, secret: text });
export type MadeToken = Static<typeof madeTokenSchema>;

export const tokenActivitySchema = shape({
  token: tokenViewSchema,
  /** Newest first. Requests that did the same within the same few seconds are one row. */
  uses: Type.Array(
    shape({
      at: time,
      route: text,
      environment: nullable(text),
      address: text,
      count: Type.Integer({ minimum: 1 }),
    }),
  ),
  denials: Type.Array(
    shape({ at: time, reason: text, route: text, environment: nullable(text), address: text }),
  ),
});
export type TokenActivity = Static<typeof tokenActivitySchema>;

export const auditEntryViewSchema = shape({
  id,
  at: time,
  actor: shape({
    kind: Type.Union([Type.Literal('token'), Type.Literal('member'), Type.Literal('operator')]),
    id: text,
    name: text,
  }),
  action: text,
  projectId: nullable(id),
  projectName: nullable(text),
  targetId: text,
  targetName: text,
  environment: nullable(text),
  changes: Type.Array(
    shape({
      field: text,
      before: Type.Unknown(),
      after: Type.Unknown(),
      /**
       * Not null where a list is long: then `before` has what only the old list has and `after` what only the new one
       * has, at most 100 items of each, and these count such items beyond them. A rule with many values has a `cut` too.
       */
      cut: nullable(shape({ before: Type.Integer({ minimum: 0 }), after: Type.Integer({ minimum: 0 }) })),
    }),
  ),
  requestId: nullable(text),
});
export type AuditEntryView = Static<typeof auditEntryViewSchema>;

/** Newest first. */
export const auditPageSchema = shape({
  entries: Type.Array(auditEntryViewSchema),
  /** Where the next page begins; null at the end. */
  nextCursor: nullable(text),
});
export type AuditPage = Static<typeof auditPageSchema>;
