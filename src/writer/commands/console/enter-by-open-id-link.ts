import type { PublicCommand } from '../../../contracts/console/public-handler.ts';
import type { BeginOpenIdSession, BegunOpenIdSession } from '../../../contracts/console/step-bodies.ts';
import { allow, type ConsoleProblemCode } from '../../../domain/console/console-problem.ts';
import { isEmailAddress } from '../../../domain/member/email.ts';
import { isFullOfMembers } from '../../../domain/member/member-rules.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { entrantName } from '../../../domain/session/entrant-name.ts';
import { findUsableLink } from '../../../domain/session/find-usable-link.ts';
import type { OneTimeLink } from '../../../domain/session/one-time-link.ts';
import type { OpenIdRefusal } from '../../../domain/session/open-id-refusal.ts';
import { admit, useUp } from './consume-link.ts';
import { joinAccount } from './join-account.ts';
import { openSession } from './open-session.ts';
import { refuseOpenId } from './refuse-open-id.ts';

/**
 * Uses a one-time link up with an account at the OpenID provider: the member that the link makes or names signs in with
 * it from then on. The link is what joins them, so the provider need not vouch for the email.
 */
export const enterByOpenIdLink: PublicCommand<BeginOpenIdSession> = (
  queries,
  request,
  principal,
  context,
) => {
  const found = findUsableLink(queries, request.body.linkSecret ?? '', context);
  if (!found.ok) return refuseOpenId('link-over');
  const refusal = refuseAccount(queries, found.value, request.body);
  if (refusal !== null) return refuseOpenId(refusal);
  const { email, names, issuer, subject } = request.body;
  const entrant = { name: entrantName(names), email, passwordHash: null };
  const admitted = admit(queries, found.value, { ...request, body: entrant }, context);
  if (!admitted.ok) return refuseOpenId(refusalOfEntrant(queries, found.value, admitted.problem.code));
  const { member, changes } = admitted.value;
  const isKnown = queries.identity(issuer, subject) !== undefined;
  const joined = isKnown ? [] : joinAccount(queries, member, request, context);
  const opened = openSession(queries, member.id, request, principal, context);
  const value: BegunOpenIdSession = { begun: opened.begun, refusal: null };
  return allow({
    changes: [...useUp(found.value), ...changes, ...joined, ...opened.changes],
    reply: { value },
  });
};

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
  // The first Owner's link names no email, so the provider has to.
  const isKnownEmail = email !== null && isEmailVerified && isEmailAddress(email);
  return purpose.kind === 'first-owner' && !isKnownEmail ? 'email-not-verified' : null;
}
