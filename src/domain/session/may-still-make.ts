import type { Role } from '../member/member.ts';
import { managesRole, memberOf } from '../member/member-rules.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { OneTimeLink } from './one-time-link.ts';

/**
 * Whether the member who made a link could make it now. Whoever has left or been demoted has no way back in by it, and
 * nobody becomes by it what they could not make of others.
 *
 * @returns true too for a link that no member made.
 */
export function mayStillMake(queries: RecordQueries, link: OneTimeLink): boolean {
  const { createdBy, organisationId } = link;
  if (createdBy === null) return true;
  const maker = memberOf(queries, organisationId, createdBy);
  return maker !== undefined && mayMake(queries, link, maker.role);
}

/** Whether somebody of this role could make a link now. */
export function mayMake(queries: RecordQueries, link: OneTimeLink, maker: Role): boolean {
  const role = roleGiven(queries, link);
  return role !== null && managesRole(maker, role);
}

/** @returns what whoever follows the link is then; null when the member it signs in has left the organisation. */
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
