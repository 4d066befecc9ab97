import { type TSchema, Type } from 'typebox';
import type { Role } from '../../domain/member/member.ts';
import * as bodies from './console-bodies.ts';
import type { ConsoleAccess, ConsoleOperation } from './console-operation.ts';
import { type ConsoleOperationId, type ConsolePath, consolePaths } from './console-paths.ts';
import { audienceViewSchema } from './views/audience-views.ts';
import { auditPageSchema } from './views/audit-views.ts';
import { evaluationCountsSchema, trialSchema } from './views/evaluation-views.ts';
import { flagChangeResultSchema, flagRowSchema, flagViewSchema } from './views/flag-views.ts';
import {
  invitationRowSchema,
  linkViewSchema,
  madeLinkSchema,
  memberViewSchema,
} from './views/member-views.ts';
import { mailStateSchema, organisationViewSchema } from './views/organisation-views.ts';
import {
  environmentChangeSchema,
  environmentImpactSchema,
  projectViewSchema,
} from './views/project-views.ts';
import {
  openIdStartSchema,
  sessionRowSchema,
  sessionViewSchema,
  signInAnswerSchema,
} from './views/session-views.ts';
import { madeTokenSchema, tokenActivitySchema, tokenViewSchema } from './views/token-views.ts';

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

const read = operation('read');
const write = operation('writer');
const both = operation('conversation');

function listOf<Name extends string, Item extends TSchema>(name: Name, schema: Item) {
  const properties = { [name]: Type.Array(schema) } as Record<Name, Type.TArray<Item>>;
  return Type.Object(properties, { additionalProperties: false });
}

const auditQuery = ['actor', 'flag', 'environment', 'action', 'from', 'to', 'project'] as const;

const rows = {
  'read-session': read(forAll, { answer: sessionViewSchema }),
  'sign-in': both(forAll, {
    body: bodies.signInBodySchema,
    answer: signInAnswerSchema,
  }),
  'sign-out': write(forMembers),
  'list-sessions': read(forMembers, {
    answer: listOf('sessions', sessionRowSchema),
  }),
  'end-session': write(forMembers),
  'change-password': both(forMembers, { body: bodies.changePasswordBodySchema }),
  'inspect-link': read(forAll, {
    body: bodies.linkBodySchema,
    answer: linkViewSchema,
  }),
  'use-link': both(forAll, {
    body: bodies.useLinkBodySchema,
    answer: signInAnswerSchema,
  }),
  /** Where to go to sign in by OpenID Connect. */
  'start-open-id': both(forAll, {
    body: bodies.startOpenIdBodySchema,
    answer: openIdStartSchema,
  }),
  /** The provider sends the browser here, and it is sent on into the console. */
  'finish-open-id': { ...both(forAll), hasForeignQuery: true },

  'read-organisation': read(organisation('viewer'), {
    answer: organisationViewSchema,
  }),
  'edit-organisation': write(organisation('owner'), {
    body: bodies.editOrganisationBodySchema,
    answer: organisationViewSchema,
  }),
  'read-mail-state': read(organisation('admin'), {
    answer: mailStateSchema,
  }),
  'list-members': read(organisation('viewer'), {
    answer: listOf('members', memberViewSchema),
  }),
  'edit-member': write(organisation('admin'), {
    body: bodies.editMemberBodySchema,
    answer: memberViewSchema,
  }),
  'remove-member': write(organisation('admin')),
  'make-sign-in-link': write(organisation('admin'), {
    answer: madeLinkSchema,
  }),
  'list-invitations': read(organisation('admin'), {
    answer: listOf('invitations', invitationRowSchema),
  }),
  'invite-member': write(organisation('admin'), {
    body: bodies.inviteMemberBodySchema,
    answer: madeLinkSchema,
  }),
  'withdraw-invitation': write(organisation('admin')),

  'list-projects': read(forMembers, {
    answer: listOf('projects', projectViewSchema),
  }),
  /** A project of the organisation needs an Admin; a personal one nobody's leave. */
  'create-project': write(forMembers, {
    body: bodies.createProjectBodySchema,
    answer: projectViewSchema,
  }),
  'read-project': read(project('viewer'), { answer: projectViewSchema }),
  'edit-project': write(project('admin'), {
    body: bodies.editProjectBodySchema,
    answer: projectViewSchema,
  }),
  'create-environment': write(project('admin'), {
    body: bodies.createEnvironmentBodySchema,
    answer: environmentChangeSchema,
  }),
  /** What a rename to `name`, or without it a deletion, would do to tokens. With `{number}` `new`: a creation. */
  'preview-environment': read(project('admin'), {
    query: ['name'],
    answer: environmentImpactSchema,
  }),
  'edit-environment': write(project('admin'), {
    body: bodies.editEnvironmentBodySchema,
    answer: environmentChangeSchema,
  }),
  'delete-environment': write(project('admin'), {
    body: bodies.deleteEnvironmentBodySchema,
    answer: environmentChangeSchema,
  }),
  /**
   * Server-sent events: `ready` and then `changed`, with what has changed of the project and its organisation
   * (`domain/audit/watched-changes.ts`). `since` is the position of the session or of an event.
   */
  'watch-project': both(project('viewer'), { query: ['since'] }),
  /** The same for a page without a project. */
  'watch-organisation': both(forMembers, { query: ['since'] }),

  'list-console-flags': read(project('viewer'), {
    answer: listOf('flags', flagRowSchema),
  }),
  'create-console-flag': write(project('editor'), {
    body: bodies.createConsoleFlagBodySchema,
    answer: flagViewSchema,
  }),
  'read-console-flag': read(project('viewer'), {
    answer: flagViewSchema,
  }),
  'edit-flag': write(project('editor'), {
    body: bodies.editFlagBodySchema,
    answer: flagChangeResultSchema,
  }),
  'delete-flag': write(project('editor'), {
    body: bodies.deleteFlagBodySchema,
  }),
  'try-flag': read(project('viewer'), {
    body: bodies.tryFlagBodySchema,
    answer: trialSchema,
  }),
  'count-evaluations': read(project('viewer'), {
    answer: evaluationCountsSchema,
  }),

  'list-audiences': read(project('viewer'), {
    answer: listOf('audiences', audienceViewSchema),
  }),
  'create-audience': write(project('editor'), {
    body: bodies.createAudienceBodySchema,
    answer: audienceViewSchema,
  }),
  'read-audience': read(project('viewer'), {
    answer: audienceViewSchema,
  }),
  'edit-audience': write(project('editor'), {
    body: bodies.editAudienceBodySchema,
    answer: audienceViewSchema,
  }),
  'delete-audience': write(project('editor'), {
    body: bodies.deleteAudienceBodySchema,
  }),

  'list-tokens': read(project('viewer'), {
    answer: listOf('tokens', tokenViewSchema),
  }),
  'create-token': write(project('editor'), {
    body: bodies.createTokenBodySchema,
    answer: madeTokenSchema,
  }),
  'read-token-activity': read(project('viewer'), {
    answer: tokenActivitySchema,
  }),
  /** By the creator or an Admin. */
  'revoke-console-token': write(project('viewer'), {
    answer: tokenViewSchema,
  }),
  'rotate-token': write(project('viewer'), {
    answer: madeTokenSchema,
  }),

  /** The whole organisation's. Times are Unix milliseconds, `from` included and `to` excluded. */
  'list-audit': read(organisation('viewer'), {
    query: [...auditQuery, 'cursor'],
    answer: auditPageSchema,
  }),
  /** `format` is `ndjson` or `csv`. */
  'export-audit': read(organisation('viewer'), { query: [...auditQuery, 'format'] }),
  'list-project-audit': read(project('viewer'), {
    query: [...auditQuery, 'cursor'],
    answer: auditPageSchema,
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
