import type { AuditChange } from '../../domain/audit/audit-entry.ts';
import type { ConsolePrincipal } from '../../domain/console/console-principal.ts';
import type { ConsoleProblem, ConsoleProblemCode } from '../../domain/console/console-problem.ts';
import { isEmailAddress, type Member } from '../../domain/member/member.ts';
import { isFullOfMembers } from '../../domain/member/member-rules.ts';
import { type Outcome, succeed } from '../../domain/outcome.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { findUsableLink } from '../../domain/session/link-rules.ts';
import type { OneTimeLink } from '../../domain/session/one-time-link.ts';
import {
  entrantName,
  findByVerifiedEmail,
  hasIdentityAt,
  joinIdentity,
  type OpenIdRefusal,
} from '../../domain/session/open-id-rules.ts';
import { forgetUsedBefore, type UsedSignIn } from '../../domain/session/used-sign-in.ts';
import { ownEntry } from '../audit-entries.ts';
import {
  anybody,
  type ConsoleContext,
  type ConsoleDecision,
  type ConsoleRequest,
  writeStep,
} from '../operation.ts';
import { admit, useUp } from './consume-link.ts';
import { openSession } from './open-session.ts';
import type { BeginOpenIdSession, BegunOpenIdSession } from './step-bodies.ts';

/**
 * The end of a sign-in by OpenID Connect: the provider has vouched for a person. A known identity belongs to its
 * member. An unknown one is joined to the member with its email, if the provider says that the email is verified, or to
 * the member of the one-time link with which the sign-in began. A sign-in at the provider begins one session.
 */
export const beginOpenIdSession = writeStep(
  'begin-open-id-session',
  anybody,
  (queries, request: ConsoleRequest<BeginOpenIdSession>, principal, context) => {
    const { state, begunAt } = request.body;
    const signIn: UsedSignIn = { stateHash: context.hashSecret(state), begunAt };
    if (queries.isSignInUsed(signIn)) return refuseOpenId('expired');
    const decided = decide(queries, request, principal, context);
    // Without changes, no member was signed in.
    if (!decided.ok || decided.value.changes.length === 0) return decided;
    const used = { kind: 'used-sign-in', signIn, forgetBefore: forgetUsedBefore(context.now) } as const;
    return succeed({ ...decided.value, changes: [...decided.value.changes, used] });
  },
);

function decide(
  queries: RecordQueries,
  request: ConsoleRequest<BeginOpenIdSession>,
  principal: ConsolePrincipal | null,
  context: ConsoleContext,
): Outcome<ConsoleDecision, ConsoleProblem> {
  if (request.body.linkSecret !== null) return enterByOpenIdLink(queries, request, principal, context);
  const { issuer, subject } = request.body;
  const known = queries.identity(issuer, subject);
  const member = known === undefined ? findNewcomer(queries, request.body) : queries.member(known.memberId);
  if (member === undefined) return refuseOpenId('not-a-member');
  if (typeof member === 'string') return refuseOpenId(member);
  const joined = known === undefined ? joinAccount(queries, member, request, context) : [];
  const way = { method: 'openid', link: null } as const;
  const { changes, begun } = openSession(queries, member, way, request, principal, context);
  const value: BegunOpenIdSession = { begun, refusal: null };
  return succeed({ changes: [...joined, ...changes], reply: { value } });
}

/** @returns the member with this verified email, or why none can be chosen. */
function findNewcomer(
  queries: RecordQueries,
  { issuer, email, isEmailVerified }: BeginOpenIdSession,
): Member | OpenIdRefusal {
  if (email === null || !isEmailVerified) return 'email-not-verified';
  const [member, another] = findByVerifiedEmail(queries, email);
  if (member === undefined) return 'not-a-member';
  if (another !== undefined) return 'several-members';
  // A provider may give an address that one person has left to another: that is the account of another person.
  return hasIdentityAt(queries, member.id, issuer) ? 'other-account' : member;
}

/**
 * Uses up a one-time link with an account at the OpenID provider: from then on, the member that the link creates or
 * names signs in with the account. The link joins them, so the provider need not vouch for the email.
 */
export function enterByOpenIdLink(
  queries: RecordQueries,
  request: ConsoleRequest<BeginOpenIdSession>,
  principal: ConsolePrincipal | null,
  context: ConsoleContext,
): Outcome<ConsoleDecision, ConsoleProblem> {
  const found = findUsableLink(queries, request.body.linkSecret ?? '', context);
  if (!found.ok) return refuseOpenId('link-over');
  const refusal = refuseAccount(queries, found.value, request.body);
  if (refusal !== null) return refuseOpenId(refusal);
  const { email, names, issuer, subject, organisation } = request.body;
  const entrant = { name: entrantName(names), email, organisation, passwordHash: null };
  const admitted = admit(queries, found.value, { ...request, body: entrant }, context);
  if (!admitted.ok) return refuseOpenId(refusalOfEntrant(queries, found.value, admitted.problem.code));
  const { member, changes } = admitted.value;
  const isKnown = queries.identity(issuer, subject) !== undefined;
  const joined = isKnown ? [] : joinAccount(queries, member, request, context);
  const way = { method: 'openid', link: found.value } as const;
  const opened = openSession(queries, member, way, request, principal, context);
  const value: BegunOpenIdSession = { begun: opened.begun, refusal: null };
  return succeed({
    changes: [...useUp(queries, found.value), ...changes, ...joined, ...opened.changes],
    reply: { value },
  });
}

function refusalOfEntrant(
  queries: RecordQueries,
  { organisationId }: OneTimeLink,
  code: ConsoleProblemCode,
): OpenIdRefusal {
  if (code !== 'conflict') return 'link-over';
  return isFullOfMembers(queries, organisationId) ? 'organisation-full' : 'email-taken';
}

/** @returns why this account cannot follow the link, or null. */
function refuseAccount(
  queries: RecordQueries,
  { purpose }: OneTimeLink,
  { issuer, subject, email, isEmailVerified }: BeginOpenIdSession,
): OpenIdRefusal | null {
  const known = queries.identity(issuer, subject);
  const isOwn = purpose.kind === 'sign-in' && known?.memberId === purpose.memberId;
  if (known !== undefined && !isOwn) return 'account-taken';
  // The first Owner's link names no email, so the provider has to give one.
  const isKnownEmail = email !== null && isEmailVerified && isEmailAddress(email);
  return purpose.kind === 'first-owner' && !isKnownEmail ? 'email-not-verified' : null;
}

/** Joins the account at the provider to a member, with an audit entry. */
export function joinAccount(
  queries: RecordQueries,
  member: Member,
  request: ConsoleRequest<BeginOpenIdSession>,
  context: ConsoleContext,
): readonly RecordChange[] {
  const { issuer, subject } = request.body;
  const identity = { issuer, subject, memberId: member.id, createdAt: context.now };
  const change: AuditChange = { field: 'openIdAccount', before: null, after: `${subject} at ${issuer}` };
  return [...joinIdentity(queries, identity), ownEntry(member, 'member.edit', [change], request, context)];
}

/** No member is signed in, and nothing changes. The worker gives the browser the reason. */
export function refuseOpenId(refusal: OpenIdRefusal): Outcome<ConsoleDecision, ConsoleProblem> {
  const value: BegunOpenIdSession = { begun: null, refusal };
  return succeed({ changes: [], reply: { value } });
}
