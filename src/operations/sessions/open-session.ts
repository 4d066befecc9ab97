import type { ConsolePrincipal } from '../../domain/console/console-principal.ts';
import type { Member } from '../../domain/member/member.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { OneTimeLink } from '../../domain/session/one-time-link.ts';
import type { Session } from '../../domain/session/session.ts';
import { beginSession } from '../../domain/session/session-changes.ts';
import { facts, ownEntry } from '../audit-entries.ts';
import type { ConsoleContext, ConsoleRequest } from '../operation.ts';
import type { BegunSession } from './step-bodies.ts';

/** How a member signs in. */
export interface SignInWay {
  readonly method: 'password' | 'link' | 'openid';
  /** Null: none was followed. */
  readonly link: OneTimeLink | null;
}

/**
 * Begins a session with a new secret, with an audit entry. The session that the browser presented ends.
 *
 * @param member as it is after the changes that come before these
 */
export function openSession(
  queries: RecordQueries,
  member: Member,
  { method, link }: SignInWay,
  request: ConsoleRequest,
  principal: ConsolePrincipal | null,
  context: ConsoleContext,
): { readonly changes: readonly RecordChange[]; readonly begun: BegunSession } {
  const { address, userAgent } = request;
  const secret = context.newSecret();
  const secretHash = context.hashSecret(secret);
  const begun = { id: context.newId(), memberId: member.id, secretHash, address, userAgent };
  const followed = link === null ? {} : { linkId: link.id, linkMadeBy: link.createdBy ?? 'operator' };
  const entry = ownEntry(
    member,
    'session.begin',
    facts({ method, ...followed, userAgent }),
    request,
    context,
  );
  const after = { ...member, lastSignInAt: context.now };
  const sessions = beginSession(queries, begun, principal?.session ?? null, context.now);
  return {
    changes: [...sessions, { kind: 'member', before: member, after }, entry],
    begun: { memberId: member.id, secret },
  };
}

/** Ends a session by a request of its member, with an audit entry. */
export function closeSession(
  session: Session,
  member: Member,
  request: ConsoleRequest,
  context: ConsoleContext,
): readonly RecordChange[] {
  const { createdAt: signedInAt, address: signedInFrom } = session;
  const changes = Object.entries({ signedInAt, signedInFrom }).map(([field, before]) => {
    return { field, before, after: null };
  });
  return [
    { kind: 'session', before: session, after: null },
    ownEntry(member, 'session.end', changes, request, context),
  ];
}
