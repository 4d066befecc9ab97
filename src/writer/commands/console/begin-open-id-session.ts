import type { PublicCommand } from '../../../contracts/console/public-handler.ts';
import type { BeginOpenIdSession, BegunOpenIdSession } from '../../../contracts/console/step-bodies.ts';
import { allow } from '../../../domain/console/console-problem.ts';
import type { Member } from '../../../domain/member/member.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { findByVerifiedEmail } from '../../../domain/session/find-by-verified-email.ts';
import { hasIdentityAt } from '../../../domain/session/join-identity.ts';
import type { OpenIdRefusal } from '../../../domain/session/open-id-refusal.ts';
import { enterByOpenIdLink } from './enter-by-open-id-link.ts';
import { joinAccount } from './join-account.ts';
import { openSession } from './open-session.ts';
import { refuseOpenId } from './refuse-open-id.ts';

/**
 * The end of a sign-in by OpenID Connect: the provider has vouched for somebody. An identity that is known is its
 * member's. One that is not is joined to the member with its email, if the provider says that the email is verified, or
 * to the member of the one-time link that the sign-in began with.
 */
export const beginOpenIdSession: PublicCommand<BeginOpenIdSession> = (
  queries,
  request,
  principal,
  context,
) => {
  if (request.body.linkSecret !== null) return enterByOpenIdLink(queries, request, principal, context);
  const { issuer, subject } = request.body;
  const known = queries.identity(issuer, subject);
  const member = known === undefined ? findNewcomer(queries, request.body) : queries.member(known.memberId);
  if (member === undefined) return refuseOpenId('not-a-member');
  if (typeof member === 'string') return refuseOpenId(member);
  const joined = known === undefined ? joinAccount(queries, member, request, context) : [];
  const { changes, begun } = openSession(queries, member.id, request, principal, context);
  const value: BegunOpenIdSession = { begun, refusal: null };
  return allow({ changes: [...joined, ...changes], reply: { value } });
};

/** @returns whose account this is by its verified email, or why that cannot be said. */
function findNewcomer(
  queries: RecordQueries,
  { issuer, email, isEmailVerified }: BeginOpenIdSession,
): Member | OpenIdRefusal {
  if (email === null || !isEmailVerified) return 'email-not-verified';
  const [member, another] = findByVerifiedEmail(queries, email);
  if (member === undefined) return 'not-a-member';
  if (another !== undefined) return 'several-members';
  // A provider may give an address that somebody has left to somebody else: that is another account of another person.
  return hasIdentityAt(queries, member.id, issuer) ? 'other-account' : member;
}
