import { memberEmailIndex } from '../record-indexes.ts';
import { memberRecord } from '../records/member-record.ts';
import { organisationRecord } from '../records/organisation-record.ts';
import type { Finding } from './finding.ts';
import { misplaced, reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

/** Members, and the index by their emails: the writer fills it when it first opens a store that did not have it. */
export function* checkMembers(walk: StoreWalk): Generator<Finding> {
  const isIndexed = walk.hasEntries(memberEmailIndex.database);
  yield* walk.records(memberRecord, function* ({ key, record }) {
    yield* misplaced(memberRecord, key, record);
    if (isIndexed) yield* walk.indexed(memberEmailIndex, record);
    if (record.organisationId === null) return;
    yield* reference(walk, `members/${record.id}`, organisationRecord, record.organisationId);
  });
  yield* walk.index(memberEmailIndex, memberRecord);
}
