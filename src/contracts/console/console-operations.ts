import { type TSchema, Type } from 'typebox';
import type { Role } from '../../domain/member/member.ts';
import * as bodies from './console-bodies.ts';
import type { ConsoleAccess, ConsoleOperation } from './console-operation.ts';
import * as views from './console-views.ts';

const forAll: ConsoleAccess = { scope: 'public' };
const forMembers: ConsoleAccess = { scope: 'member' };
const organisation = (role: Role): ConsoleAccess => ({ scope: 'organisation', role });
const project = (role: Role): ConsoleAccess => ({ scope: 'project', role });

type Method = ConsoleOperation['method'];
type Shapes = { readonly query?: readonly string[]; readonly body?: TSchema; readonly answer?: TSchema };

function operation(actor: ConsoleOperation['actor']) {
  return (method: Method, path: string, access: ConsoleAccess, shapes: Shapes = {}): ConsoleOperation => {
    const { query = [], body = null, answer = null } = shapes;
    return { method, path, access, actor, query, body, answer };
  };
}

const read = operation('evaluator');
const write = operation('writer');
const both = operation('gateway');

function listOf<Name extends string>(name: Name, schema: TSchema): TSchema {
  return Type.Object({ [name]: Type.Array(schema) }, { additionalProperties: false });
}

const ofProject = '/projects/{projectId}';
const auditQuery = ['actor', 'flag', 'environment', 'action', 'from', 'to', 'project'] as const;

/** Every endpoint of the console's API, below `/console/api`. */
export const consoleOperations = {
  'read-session': both('get', '/session', forAll, { answer: views.sessionViewSchema }),
  'sign-in': both('post', '/session', forAll, {
    body: bodies.signInBodySchema,
    answer: views.signInAnswerSchema,
  }),
  'sign-out': write('delete', '/session', forMembers),
  'list-sessions': read('get', '/sessions', forMembers, {
    answer: listOf('sessions', views.sessionRowSchema),
  }),
  'end-session': write('delete', '/sessions/{sessionId}', forMembers),
  'change-password': both('post', '/password', forMembers, { body: bodies.changePasswordBodySchema }),
  'inspect-link': read('post', '/link', forAll, {
    body: bodies.linkBodySchema,
    answer: views.linkViewSchema,
  }),
  'use-link': both('post', '/link/use', forAll, {
    body: bodies.useLinkBodySchema,
    answer: views.signInAnswerSchema,
  }),
  /** Redirects to the OpenID provider, and back to the console. */
  'start-openid': both('get', '/openid/start', forAll),
  'finish-openid': both('get', '/openid/callback', forAll, {
    query: ['code', 'state', 'iss', 'error', 'error_description', 'session_state'],
  }),

  'read-organisation': read('get', '/organisation', organisation('viewer'), {
    answer: views.organisationViewSchema,
  }),
  'edit-organisation': write('patch', '/organisation', organisation('owner'), {
    body: bodies.editOrganisationBodySchema,
    answer: views.organisationViewSchema,
  }),
  'list-members': read('get', '/members', organisation('viewer'), {
    answer: listOf('members', views.memberViewSchema),
  }),
  'edit-member': write('patch', '/members/{memberId}', organisation('admin'), {
    body: bodies.editMemberBodySchema,
    answer: views.memberViewSchema,
  }),
  'remove-member': write('delete', '/members/{memberId}', organisation('admin')),
  'make-sign-in-link': write('post', '/members/{memberId}/sign-in-link', organisation('admin'), {
    answer: views.madeLinkSchema,
  }),
  'list-invitations': read('get', '/invitations', organisation('admin'), {
    answer: listOf('invitations', views.invitationRowSchema),
  }),
  'invite-member': write('post', '/invitations', organisation('admin'), {
    body: bodies.inviteMemberBodySchema,
    answer: views.madeLinkSchema,
  }),
  'withdraw-invitation': write('delete', '/invitations/{linkId}', organisation('admin')),

  'list-projects': read('get', '/projects', forMembers, {
    answer: listOf('projects', views.projectViewSchema),
  }),
  /** A project of the organisation needs an Admin; a personal one nobody's leave. */
  'create-project': write('post', '/projects', forMembers, {
    body: bodies.createProjectBodySchema,
    answer: views.projectViewSchema,
  }),
  'read-project': read('get', ofProject, project('viewer'), { answer: views.projectViewSchema }),
  'edit-project': write('patch', ofProject, project('admin'), {
    body: bodies.editProjectBodySchema,
    answer: views.projectViewSchema,
  }),
  'create-environment': write('post', `${ofProject}/environments`, project('admin'), {
    body: bodies.createEnvironmentBodySchema,
    answer: views.environmentChangeSchema,
  }),
  /** What a rename to `name`, or without it a deletion, would do to tokens. With `{number}` `new`: a creation. */
  'preview-environment': read('get', `${ofProject}/environments/{number}/impact`, project('admin'), {
    query: ['name'],
    answer: views.environmentImpactSchema,
  }),
  'edit-environment': write('patch', `${ofProject}/environments/{number}`, project('admin'), {
    body: bodies.editEnvironmentBodySchema,
    answer: views.environmentChangeSchema,
  }),
  'delete-environment': write('delete', `${ofProject}/environments/{number}`, project('admin'), {
    body: bodies.deleteEnvironmentBodySchema,
    answer: views.environmentChangeSchema,
  }),
  /** Server-sent events: `changed` with `{"flags": [id], "project": boolean}` whenever others have changed something. */
  'watch-project': both('get', `${ofProject}/events`, project('viewer')),

  'list-console-flags': read('get', `${ofProject}/flags`, project('viewer'), {
    answer: listOf('flags', views.flagRowSchema),
  }),
  'create-console-flag': write('post', `${ofProject}/flags`, project('editor'), {
    body: bodies.createConsoleFlagBodySchema,
    answer: views.flagViewSchema,
  }),
  'read-console-flag': read('get', `${ofProject}/flags/{flagId}`, project('viewer'), {
    answer: views.flagViewSchema,
  }),
  'edit-flag': write('patch', `${ofProject}/flags/{flagId}`, project('editor'), {
    body: bodies.editFlagBodySchema,
    answer: views.flagChangeResultSchema,
  }),
  'delete-flag': write('delete', `${ofProject}/flags/{flagId}`, project('editor'), {
    body: bodies.deleteFlagBodySchema,
  }),
  'try-flag': read('post', `${ofProject}/flags/{flagId}/trial`, project('viewer'), {
    body: bodies.tryFlagBodySchema,
    answer: views.trialSchema,
  }),
  'count-evaluations': read('get', `${ofProject}/flags/{flagId}/evaluations`, project('viewer'), {
    answer: views.evaluationCountsSchema,
  }),

  'list-audiences': read('get', `${ofProject}/audiences`, project('viewer'), {
    answer: listOf('audiences', views.audienceViewSchema),
  }),
  'create-audience': write('post', `${ofProject}/audiences`, project('editor'), {
    body: bodies.createAudienceBodySchema,
    answer: views.audienceViewSchema,
  }),
  'read-audience': read('get', `${ofProject}/audiences/{audienceId}`, project('viewer'), {
    answer: views.audienceViewSchema,
  }),
  'edit-audience': write('patch', `${ofProject}/audiences/{audienceId}`, project('editor'), {
    body: bodies.editAudienceBodySchema,
    answer: views.audienceViewSchema,
  }),
  'delete-audience': write('delete', `${ofProject}/audiences/{audienceId}`, project('editor'), {
    body: bodies.deleteAudienceBodySchema,
  }),

  'list-tokens': read('get', `${ofProject}/tokens`, project('viewer'), {
    answer: listOf('tokens', views.tokenViewSchema),
  }),
  'create-token': write('post', `${ofProject}/tokens`, project('editor'), {
    body: bodies.createTokenBodySchema,
    answer: views.madeTokenSchema,
  }),
  'read-token-activity': read('get', `${ofProject}/tokens/{tokenId}`, project('viewer'), {
    answer: views.tokenActivitySchema,
  }),
  /** By the creator or an Admin. */
  'revoke-console-token': write('post', `${ofProject}/tokens/{tokenId}/revoke`, project('viewer'), {
    answer: views.tokenViewSchema,
  }),
  'rotate-token': write('post', `${ofProject}/tokens/{tokenId}/rotate`, project('viewer'), {
    answer: views.madeTokenSchema,
  }),

  /** The whole organisation's. Times are Unix milliseconds, `from` included and `to` excluded. */
  'list-audit': read('get', '/audit', organisation('viewer'), {
    query: [...auditQuery, 'cursor'],
    answer: views.auditPageSchema,
  }),
  /** `format` is `ndjson` or `csv`. */
  'export-audit': read('get', '/audit/export', organisation('viewer'), { query: [...auditQuery, 'format'] }),
  'list-project-audit': read('get', `${ofProject}/audit`, project('viewer'), {
    query: [...auditQuery, 'cursor'],
    answer: views.auditPageSchema,
  }),
  'export-project-audit': read('get', `${ofProject}/audit/export`, project('viewer'), {
    query: [...auditQuery, 'format'],
  }),
} as const satisfies Record<string, ConsoleOperation>;

export type ConsoleOperationId = keyof typeof consoleOperations;
