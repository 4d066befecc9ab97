import type { ConsoleProblem } from '../console/console-problem.ts';
import { accountOfMember, type Member, type Role } from '../member/member.ts';
import { managesRole, memberOf } from '../member/member-rules.ts';
import { type Outcome, refuse, succeed } from '../outcome.ts';
import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import { isSecretText } from '../token/token-secret.ts';
import { type FirstOwnerOffer, firstOwnerLink, hasMembers } from './first-owner-offer.ts';
import { isLinkOver, type OneTimeLink } from './one-time-link.ts';

interface LinkContext {
  readonly now: number;
  readonly firstOwnerOffer: FirstOwnerOffer;
  /** Whether another node may have stored a first Owner's link. */
  readonly isCluster: boolean;
  hashSecret(secret: string): Uint8Array;
}

const over =
  'This link was used, has expired or was withdrawn. Ask an Admin of your organisation for a new one, or the operator of this service: burgee member sign-in-link.';

/** An expired link and an unknown one get the same answer. */
export function linkOver(): Outcome<never, ConsoleProblem> {
  return refuse('link-over', over);
}

/** @param secret from the link's fragment */
export function findUsableLink(
  queries: RecordQueries,
  secret: string,
  { now, hashSecret, isCluster, firstOwnerOffer }: LinkContext,
): Outcome<OneTimeLink, ConsoleProblem> {
  if (!isSecretText(secret)) return linkOver();
  const hash = hashSecret(secret);
  const link = firstOwnerLink(queries, firstOwnerOffer, hash) ?? storedLink(queries, hash, isCluster);
  if (link === undefined || isLinkOver(link, now)) return linkOver();
  return mayStillMake(queries, link) ? succeed(link) : linkOver();
}

/** A first Owner's link is stored for all nodes of a cluster: when the store is served alone again, it no longer works. */
function storedLink(
  queries: RecordQueries,
  secretHash: Uint8Array,
  isCluster: boolean,
): OneTimeLink | undefined {
  const link = queries.oneTimeLinkBySecretHash(secretHash);
  const isOffer = link?.purpose.kind === 'first-owner';
  return isOffer && (!isCluster || hasMembers(queries)) ? undefined : link;
}

/**
 * Ends all links that sign this member in, including those that other members made.
 *
 * @param usedId of the link that is being followed, which ends anyway; null for none.
 */
export function* withdrawSignInLinks(
  queries: RecordQueries,
  member: Member,
  usedId: string | null,
): Generator<RecordChange> {
  for (const before of queries.oneTimeLinksOf(accountOfMember(member))) {
    if (signsIn(before, member) && before.id !== usedId) yield { kind: 'one-time-link', before, after: null };
  }
}

/**
 * Ends the links that a change of role ends: those that sign this member in, and those that it made and could not make
 * in both roles. Otherwise they would work again after another change of role.
 */
export function* withdrawLinksOfRole(
  queries: RecordQueries,
  member: Member,
  role: Role,
): Generator<RecordChange> {
  for (const before of queries.oneTimeLinksOf(accountOfMember(member))) {
    const isKept =
      before.createdBy !== member.id ||
      (mayMake(queries, before, member.role) && mayMake(queries, before, role));
    if (signsIn(before, member) || !isKept) yield { kind: 'one-time-link', before, after: null };
  }
}

function signsIn({ purpose }: OneTimeLink, member: Member): boolean {
  return purpose.kind === 'sign-in' && purpose.memberId === member.id;
}

/**
 * Whether the maker of a link could make it now. So a member who has left or been demoted cannot come back with it, and
 * the maker cannot give a role that they may not give.
 *
 * @returns true too for a link that no member made.
 */
export function mayStillMake(queries: RecordQueries, link: OneTimeLink): boolean {
  const { createdBy, organisationId } = link;
  if (createdBy === null) return true;
  const maker = memberOf(queries, organisationId, createdBy);
  return maker !== undefined && mayMake(queries, link, maker.role);
}

/** Whether a member with this role could make a link now. */
export function mayMake(queries: RecordQueries, link: OneTimeLink, maker: Role): boolean {
  const role = roleGiven(queries, link);
  return role !== null && managesRole(maker, role);
}

/** @returns the role of the link's follower; null when the member that it signs in has left the organisation. */
function roleGiven(queries: RecordQueries, { purpose, organisationId }: OneTimeLink): Role | null {
  switch (purpose.kind) {
    case 'invitation':
      return purpose.role;
    case 'first-owner':
      return 'owner';
    case 'sign-in':
      return memberOf(queries, organisationId, purpose.memberId)?.role ?? null;
  }
}
