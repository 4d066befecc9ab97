import { type TSchema, Type } from 'typebox';
import type { Role } from '../../domain/member/member.ts';
import * as bodies from './console-bodies.ts';
import type { ConsoleAccess, ConsoleOperation } from './console-operation.ts';
import { type ConsoleOperationId, type ConsolePath, consolePaths } from './console-paths.ts';
import * as views from './console-views.ts';

const forAll: ConsoleAccess = { scope: 'public' };
const forMembers: ConsoleAccess = { scope: 'member' };
const organisation = (role: Role): ConsoleAccess => ({ scope: 'organisation', role });
const project = (role: Role): ConsoleAccess => ({ scope: 'project', role });

interface Shapes {
  readonly query?: readonly string[];
  readonly body?: TSchema;
  readonly answer?: TSchema;
}
type ShapeOf<Sent extends Shapes, Name extends 'body' | 'answer'> = Sent[Name] extends TSchema
  ? Sent[Name]
  : null;

/** The types of what is sent and answered stay with each row: the web app takes its own from them. */
function operation(actor: ConsoleOperation['actor']) {
  return <const Sent extends Shapes>(access: ConsoleAccess, shapes?: Sent) => ({
    access,
    actor,
    query: shapes?.query ?? [],
    body: (shapes?.body ?? null) as ShapeOf<Sent, 'body'>,
    answer: (shapes?.answer ?? null) as ShapeOf<Sent, 'answer'>,
  });
}

const read = operation('evaluator');
const write = operation('writer');
const both = operation('gateway');

function listOf<Name extends string, Item extends TSchema>(name: Name, schema: Item) {
  const properties = { [name]: Type.Array(schema) } as Record<Name, Type.TArray<Item>>;
  return Type.Object(properties, { additionalProperties: false });
}

const auditQuery = ['actor', 'flag', 'environment', 'action', 'from', 'to', 'project'] as const;

const rows = {
  'read-session': read(forAll, { answer: views.sessionViewSchema }),
  'sign-in': both(forAll, {
    body: bodies.signInBodySchema,
    answer: views.signInAnswerSchema,
  }),
  'sign-out': write(forMembers),
  'list-sessions': read(forMembers, {
    answer: listOf('sessions', views.sessionRowSchema),
  }),
  'end-session': write(forMembers),
  'change-password': both(forMembers, { body: bodies.changePasswordBodySchema }),
  'inspect-link': read(forAll, {
    body: bodies.linkBodySchema,
    answer: views.linkViewSchema,
  }),
  'use-link': both(forAll, {
    body: bodies.useLinkBodySchema,
    answer: views.signInAnswerSchema,
  }),
  /** Where to go to sign in by OpenID Connect. */
  'start-open-id': both(forAll, {
    body: bodies.startOpenIdBodySchema,
    answer: views.openIdStartSchema,
  }),
  /** The provider sends the browser here, and it is sent on into the console. */
  'finish-open-id': { ...both(forAll), hasForeignQuery: true },

  'read-organisation': read(organisation('viewer'), {
    answer: views.organisationViewSchema,
  }),
  'edit-organisation': write(organisation('owner'), {
    body: bodies.editOrganisationBodySchema,
    answer: views.organisationViewSchema,
  }),
  'read-mail-state': read(organisation('admin'), {
    answer: views.mailStateSchema,
  }),
  'list-members': read(organisation('viewer'), {
    answer: listOf('members', views.memberViewSchema),
  }),
  'edit-member': write(organisation('admin'), {
    body: bodies.editMemberBodySchema,
    answer: views.memberViewSchema,
  }),
  'remove-member': write(organisation('admin')),
  'make-sign-in-link': write(organisation('admin'), {
    answer: views.madeLinkSchema,
  }),
  'list-invitations': read(organisation('admin'), {
    answer: listOf('invitations', views.invitationRowSchema),
  }),
  'invite-member': write(organisation('admin'), {
    body: bodies.inviteMemberBodySchema,
    answer: views.madeLinkSchema,
  }),
  'withdraw-invitation': write(organisation('admin')),

  'list-projects': read(forMembers, {
    answer: listOf('projects', views.projectViewSchema),
  }),
  /** A project of the organisation needs an Admin; a personal one nobody's leave. */
  'create-project': write(forMembers, {
    body: bodies.createProjectBodySchema,
    answer: views.projectViewSchema,
  }),
  'read-project': read(project('viewer'), { answer: views.projectViewSchema }),
  'edit-project': write(project('admin'), {
    body: bodies.editProjectBodySchema,
    answer: views.projectViewSchema,
  }),
  'create-environment': write(project('admin'), {
    body: bodies.createEnvironmentBodySchema,
    answer: views.environmentChangeSchema,
  }),
  /** What a rename to `name`, or without it a deletion, would do to tokens. With `{number}` `new`: a creation. */
  'preview-environment': read(project('admin'), {
    query: ['name'],
    answer: views.environmentImpactSchema,
  }),
  'edit-environment': write(project('admin'), {
    body: bodies.editEnvironmentBodySchema,
    answer: views.environmentChangeSchema,
  }),
  'delete-environment': write(project('admin'), {
    body: bodies.deleteEnvironmentBodySchema,
    answer: views.environmentChangeSchema,
  }),
  /** Server-sent events: `changed` with `{"flags": [id], "project": boolean}` whenever others have changed something. */
  'watch-project': both(project('viewer')),

  'list-console-flags': read(project('viewer'), {
    answer: listOf('flags', views.flagRowSchema),
  }),
  'create-console-flag': write(project('editor'), {
    body: bodies.createConsoleFlagBodySchema,
    answer: views.flagViewSchema,
  }),
  'read-console-flag': read(project('viewer'), {
    answer: views.flagViewSchema,
  }),
  'edit-flag': write(project('editor'), {
    body: bodies.editFlagBodySchema,
    answer: views.flagChangeResultSchema,
  }),
  'delete-flag': write(project('editor'), {
    body: bodies.deleteFlagBodySchema,
  }),
  'try-flag': read(project('viewer'), {
    body: bodies.tryFlagBodySchema,
    answer: views.trialSchema,
  }),
  'count-evaluations': read(project('viewer'), {
    answer: views.evaluationCountsSchema,
  }),

  'list-audiences': read(project('viewer'), {
    answer: listOf('audiences', views.audienceViewSchema),
  }),
  'create-audience': write(project('editor'), {
    body: bodies.createAudienceBodySchema,
    answer: views.audienceViewSchema,
  }),
  'read-audience': read(project('viewer'), {
    answer: views.audienceViewSchema,
  }),
  'edit-audience': write(project('editor'), {
    body: bodies.editAudienceBodySchema,
    answer: views.audienceViewSchema,
  }),
  'delete-audience': write(project('editor'), {
    body: bodies.deleteAudienceBodySchema,
  }),

  'list-tokens': read(project('viewer'), {
    answer: listOf('tokens', views.tokenViewSchema),
  }),
  'create-token': write(project('editor'), {
    body: bodies.createTokenBodySchema,
    answer: views.madeTokenSchema,
  }),
  'read-token-activity': read(project('viewer'), {
    answer: views.tokenActivitySchema,
  }),
  /** By the creator or an Admin. */
  'revoke-console-token': write(project('viewer'), {
    answer: views.tokenViewSchema,
  }),
  'rotate-token': write(project('viewer'), {
    answer: views.madeTokenSchema,
  }),

  /** The whole organisation's. Times are Unix milliseconds, `from` included and `to` excluded. */
  'list-audit': read(organisation('viewer'), {
    query: [...auditQuery, 'cursor'],
    answer: views.auditPageSchema,
  }),
  /** `format` is `ndjson` or `csv`. */
  'export-audit': read(organisation('viewer'), { query: [...auditQuery, 'format'] }),
  'list-project-audit': read(project('viewer'), {
    query: [...auditQuery, 'cursor'],
    answer: views.auditPageSchema,
  }),
  'export-project-audit': read(project('viewer'), {
    query: [...auditQuery, 'format'],
  }),
} as const satisfies Record<ConsoleOperationId, Omit<ConsoleOperation, keyof ConsolePath>>;

type Rows = typeof rows;
type Operations = { readonly [Id in ConsoleOperationId]: (typeof consolePaths)[Id] & Rows[Id] };

function withPaths(): Operations {
  const ids = Object.keys(rows) as ConsoleOperationId[];
  const entries = ids.map((id): [string, ConsoleOperation] => [id, { ...consolePaths[id], ...rows[id] }]);
  return Object.fromEntries(entries) as Operations;
}

/** Every endpoint of the console's API, below `/console/api`. */
export const consoleOperations = withPaths();

export type { ConsoleOperationId } from './console-paths.ts';
