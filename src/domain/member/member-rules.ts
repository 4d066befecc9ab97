import { membersMax } from '../bounds.ts';
import { hasRole } from '../console/console-principal.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Member, Role } from './member.ts';

/** Admins manage members up to Admin. Only an Owner may create, change or remove an Owner, or make a link for one. */
export function managesRole(actor: Role, role: Role): boolean {
  return hasRole(actor, 'admin') && (role !== 'owner' || actor === 'owner');
}

export function* membersOf(queries: RecordQueries, organisationId: string): Generator<Member> {
  for (const member of queries.members()) if (member.organisationId === organisationId) yield member;
}

/**
 * @returns the organisation's member with this id; undefined for another organisation's, as for one that does not
 * exist.
 */
export function memberOf(queries: RecordQueries, organisationId: string, id: string): Member | undefined {
  const member = queries.member(id);
  return member?.organisationId === organisationId ? member : undefined;
}

/** Whether the organisation is full, for invitations and members alike. */
export function isFullOfMembers(queries: RecordQueries, organisationId: string): boolean {
  let count = 0;
  for (const _ of membersOf(queries, organisationId)) count += 1;
  return count >= membersMax;
}

/** @param exceptId a member that does not count */
export function hasMemberWithEmail(
  queries: RecordQueries,
  organisationId: string | null,
  email: string,
  exceptId: string | null = null,
): boolean {
  for (const member of queries.membersByEmail(email))
    if (member.organisationId === organisationId && member.id !== exceptId) return true;
  return false;
}

/** An organisation always has an Owner: the last one cannot be removed or demoted. */
export function isLastOwner(queries: RecordQueries, { id, organisationId, role }: Member): boolean {
  if (role !== 'owner' || organisationId === null) return false;
  for (const member of membersOf(queries, organisationId)) {
    if (member.role === 'owner' && member.id !== id) return false;
  }
  return true;
}
