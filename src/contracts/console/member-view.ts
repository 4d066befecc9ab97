import type { Member } from '../../domain/member/member.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { MemberView } from './views/member-views.ts';

/** A member as the console shows it: never the hash of a password, only that there is one. */
export function memberView(queries: RecordQueries, member: Member): MemberView {
  const { id, name, email, role, createdAt, revision } = member;
  const hasIdentity = !isEmpty(queries.identitiesOf(id));
  return {
    id,
    name,
    email,
    role,
    createdAt,
    revision,
    hasPassword: member.passwordHash !== null,
    hasIdentity,
  };
}

function isEmpty(items: Iterable<unknown>): boolean {
  for (const _ of items) return false;
  return true;
}
