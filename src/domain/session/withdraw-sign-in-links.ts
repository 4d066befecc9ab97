import type { Member } from '../member/member.ts';
import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';

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
  for (const organisationId of filedUnder(queries, member)) {
    for (const before of queries.oneTimeLinksOf(organisationId)) {
      const { purpose } = before;
      const isFor = purpose.kind === 'sign-in' && purpose.memberId === member.id;
      if (isFor && before.id !== usedId) yield { kind: 'one-time-link', before, after: null };
    }
  }
}

/** Some organisation keeps the links of a person who is in none. */
function* filedUnder(queries: RecordQueries, { organisationId }: Member): Generator<string> {
  if (organisationId !== null) yield organisationId;
  else for (const { id } of queries.organisations()) yield id;
}
