import { type ConsolePrincipal, ownOrganisation } from '../../domain/console/console-principal.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import type { Member } from '../../domain/member/member.ts';
import { managesRole, memberOf } from '../../domain/member/member-rules.ts';
import { type Outcome, refuse, succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';

/** @returns the member with this id, if the asking member manages it. */
export function managedMember(
  queries: RecordQueries,
  principal: ConsolePrincipal,
  memberId: string | undefined,
): Outcome<Member, ConsoleProblem> {
  const member = memberOf(queries, ownOrganisation(principal).id, memberId ?? '');
  if (member === undefined) return refuse('not-found', 'Your organisation has no member with this id.');
  if (managesRole(principal.member.role, member.role)) return succeed(member);
  return refuse(
    'not-permitted',
    'Only an Owner can change or remove an Owner, or make a sign-in link for one. Ask an Owner to do it.',
  );
}
