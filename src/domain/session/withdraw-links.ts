import type { Member, Role } from '../member/member.ts';
import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import { mayMake } from './may-still-make.ts';
import { linkKeeper, type OneTimeLink } from './one-time-link.ts';

/**
 * Ends the links that sign this member in, whoever made them.
 *
 * @param usedId of the link that is being followed, which ends by that; null when there is none.
 */
export function* withdrawSignInLinks(
  queries: RecordQueries,
  member: Member,
  usedId: string | null,
): Generator<RecordChange> {
  for (const before of queries.oneTimeLinksOf(linkKeeper(member))) {
    if (signsIn(before, member) && before.id !== usedId) yield { kind: 'one-time-link', before, after: null };
  }
}

/**
 * Ends what a new role ends: the links that sign this member in, and those that it made and could not make in both roles.
 * They would work again with the next role otherwise.
 */
export function* withdrawLinksOfRole(
  queries: RecordQueries,
  member: Member,
  role: Role,
): Generator<RecordChange> {
  for (const before of queries.oneTimeLinksOf(linkKeeper(member))) {
    const isKept =
      before.createdBy !== member.id ||
      (mayMake(queries, before, member.role) && mayMake(queries, before, role));
    if (signsIn(before, member) || !isKept) yield { kind: 'one-time-link', before, after: null };
  }
}

function signsIn({ purpose }: OneTimeLink, member: Member): boolean {
  return purpose.kind === 'sign-in' && purpose.memberId === member.id;
}
