import { assert } from '../../support/assert.ts';
import { type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { sequenceKey, sequenceOf } from '../keys/key-parts.ts';
import { plain, recordOf } from '../records/record-codec.ts';
import type { LoggedChange, WriteTarget } from '../write-target.ts';
import { counterRecord, metaKeys } from './meta.ts';
import type { Table } from './table.ts';

/** Records that workers drop from their caches. */
export interface ChangeLogEntry extends LoggedChange {
  readonly sequence: number;
  /** The number of the change (`environment-versions.ts`), or a later one. */
  readonly number: number;
}

export const changeLogRecord = recordOf<ChangeLogEntry>('change-log', {
  sequence: plain,
  kind: plain,
  projectId: plain,
  id: plain,
  environment: plain,
  number: plain,
});

/** For changes to other tables: `finishChangeLog` writes it. */
export const changeLogTable = {
  kinds: [{ codec: changeLogRecord, indexes: [] }],
  answers: {},
  writes: {},
  check: checkChangeLog,
} satisfies Table;

const firstSequence = sequenceKey(0);

/** Appends the changes of a transaction at its end; keeps the newest `entriesMax` entries. */
export function finishChangeLog(target: WriteTarget, entriesMax: number): void {
  if (target.logged.length === 0) return;
  append(target, target.logged);
  dropOld(target, entriesMax);
}

function append(target: WriteTarget, changes: readonly LoggedChange[]): void {
  let sequence = target.tail.changeLogLast ?? target.source.find(counterRecord, metaKeys.changeLog) ?? 0;
  // Where followed rows of a cluster were too many to be listed, a number may be that of a later change.
  let number = (target.source.find(counterRecord, metaKeys.changes) ?? 0) - changes.length;
  for (const { kind, projectId, id, environment } of changes) {
    sequence += 1;
    number += 1;
    const entry = { sequence, number: Math.max(0, number), kind, projectId, id, environment };
    target.put(changeLogRecord, sequenceKey(sequence), entry);
  }
  target.put(counterRecord, metaKeys.changeLog, sequence);
  target.tail.changeLogLast = sequence;
}

function dropOld(target: WriteTarget, entriesMax: number): void {
  const first = target.tail.changeLogFirst ?? readFirst(target);
  const last = target.tail.changeLogLast ?? 0;
  assert(first <= last, 'the change log has the entry that was just appended');
  const firstKept = Math.max(first, last - entriesMax + 1);
  if (firstKept > first) {
    target.removeRange('change-log', { start: firstSequence, end: sequenceKey(firstKept) });
  }
  target.tail.changeLogFirst = firstKept;
}

/** Entries have no gaps, and at least one was just appended. */
function readFirst(target: WriteTarget): number {
  for (const key of target.source.keys('change-log', { limit: 1 })) return sequenceOf(key);
  throw new Error('the change log is empty right after an append');
}

/** Entries count up without gaps, and the counter is the last one's number. */
function* checkChangeLog(walk: StoreWalk): Generator<Finding> {
  let last: number | null = null;
  yield* walk.records(changeLogRecord, function* ({ key, record }) {
    const sequence = sequenceOf(key);
    if (last !== null && sequence !== last + 1) yield findingAt('change-log', key, `follows entry ${last}`);
    if (record.sequence !== sequence) yield findingAt('change-log', key, `has the number ${record.sequence}`);
    last = sequence;
  });
  const counter = walk.find(counterRecord, metaKeys.changeLog) ?? 0;
  if ((last ?? 0) === counter) return;
  yield findingAt('meta', metaKeys.changeLog, `is ${counter}, but the last entry is ${last ?? 0}`);
}
