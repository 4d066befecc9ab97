import { type QueryFunctionContext, queryOptions } from '@tanstack/react-query';
import type { ConsoleOperationId } from '../../operations/console-routes.ts';
import type { ParamsOf } from './address-of.ts';
import { type AnswerOf, call, showMember } from './call.ts';
import { ConsoleError, notSignedIn } from './console-error.ts';
import type { KnownFlags } from './flag-list.ts';
import { listKey, readFlagList } from './read-flag-list.ts';

/** Keys begin with the project's id, or with `all`, because changes by others are reported by project. */
function reading<Id extends ConsoleOperationId>(scope: string, id: Id, params: ParamsOf<Id>) {
  return queryOptions({
    queryKey: [scope, id, params] as const,
    // Operations that read take no body.
    queryFn: ({ signal }): Promise<AnswerOf<Id>> => call(id, params, null as never, { signal }),
  });
}

export const everywhere = 'all';

type Session = AnswerOf<'read-session'>;

/**
 * The session. After a sign-in, the answer that there is no session counts as a refusal: the page keeps its
 * content until the member has left it.
 */
async function readSession({ signal, client, queryKey }: QueryFunctionContext): Promise<Session> {
  const session = await call('read-session', {}, null, { signal });
  const hasEnded = !session.isSignedIn && client.getQueryData<Session>(queryKey)?.isSignedIn === true;
  if (hasEnded) throw new ConsoleError(401, notSignedIn, 'The session has ended. Sign in again.', null);
  if (session.member !== undefined) showMember(session.member.id);
  return session;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'] as const,
  queryFn: readSession,
  staleTime: 60_000,
});
export const projectsQuery = reading(everywhere, 'list-projects', {});
export const membersQuery = reading(everywhere, 'list-members', {});
export function memberTokensQuery(memberId: string) {
  return reading(everywhere, 'list-member-tokens', { memberId });
}
export const invitationsQuery = reading(everywhere, 'list-invitations', {});
export const organisationQuery = reading(everywhere, 'read-organisation', {});
export const mailStateQuery = reading(everywhere, 'read-mail-state', {});
/** The stream of changes does not report nodes. */
const nodesEveryMs = 2000;
export const nodesQuery = queryOptions({
  ...reading(everywhere, 'list-nodes', {}),
  refetchInterval: nodesEveryMs,
});
/** The stream of changes does not report connections of programs. */
const streamsEveryMs = 5000;
export function syncStreamsQuery(projectId: string) {
  return queryOptions({
    ...reading(projectId, 'list-sync-streams', { projectId }),
    refetchInterval: streamsEveryMs,
  });
}
export const sessionsQuery = reading(everywhere, 'list-sessions', {});

/**
 * All flags of a project: the first ones at once, the others while the page is used. Changes by others are read one by
 * one (`follow-changes.ts`), so that only a list with a gap is stale.
 */
export function flagsQuery(projectId: string) {
  return queryOptions({
    queryKey: listKey(projectId),
    queryFn: ({ client, queryKey }) => readFlagList(client, queryKey),
    staleTime: ({ state }: { readonly state: { readonly data?: KnownFlags | undefined } }) =>
      state.data?.next === null ? Number.POSITIVE_INFINITY : 0,
    structuralSharing: false,
  });
}

/** Which flag answers to a name. It is read anew each time that it is asked for. */
export function nameQuery(projectId: string, name: string) {
  return queryOptions({
    queryKey: [projectId, 'find-name', { name }] as const,
    queryFn: ({ signal }): Promise<AnswerOf<'find-name'>> =>
      call('find-name', { projectId }, null, { query: { name }, signal }),
    staleTime: 0,
  });
}

export function flagQuery(projectId: string, flagId: string) {
  return reading(projectId, 'read-console-flag', { projectId, flagId });
}

export function evaluationsQuery(projectId: string, flagId: string) {
  return reading(projectId, 'count-evaluations', { projectId, flagId });
}

export function audiencesQuery(projectId: string) {
  return reading(projectId, 'list-audiences', { projectId });
}

export function audienceQuery(projectId: string, audienceId: string) {
  return reading(projectId, 'read-audience', { projectId, audienceId });
}

/** The stream reports what members do to tokens. It does not report their uses and refusals, so pages of tokens poll. */
const tokensEveryMs = 5000;
export function tokensQuery(projectId: string) {
  return queryOptions({
    ...reading(projectId, 'list-tokens', { projectId }),
    refetchInterval: tokensEveryMs,
  });
}

export function tokenQuery(projectId: string, tokenId: string) {
  return queryOptions({
    ...reading(projectId, 'read-token-activity', { projectId, tokenId }),
    refetchInterval: tokensEveryMs,
  });
}
