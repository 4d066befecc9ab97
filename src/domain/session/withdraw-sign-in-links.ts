import type { Member } from '../member/member.ts';
import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import { linkKeeper } from './one-time-link.ts';

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
    const { purpose } = before;
    const isFor = purpose.kind === 'sign-in' && purpose.memberId === member.id;
    if (isFor && before.id !== usedId) yield { kind: 'one-time-link', before, after: null };
  }
}
