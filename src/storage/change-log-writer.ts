import { metaKeys, sequenceKey, sequenceOf } from './keys/key-parts.ts';
import { type ChangeLogEntry, changeLogRecord } from './records/change-log-record.ts';
import { counterRecord } from './records/counter-record.ts';
import type { WriteTarget } from './write-target.ts';
import type { WrittenTail } from './written-tail.ts';

export type LoggedChange = Omit<ChangeLogEntry, 'sequence'>;

export interface ChangeLogWriter {
  note(change: LoggedChange): void;
  finish(): void;
}

/** A transaction of more changes than this is logged as one `everything`: whoever follows starts afresh. */
const loggedChangesMax = 1000;

const everything: LoggedChange = { kind: 'everything', projectId: '', id: '', environment: null };
const firstSequence = sequenceKey(0);

/** Collects a transaction's changes and appends them when it ends; keeps the newest `entriesMax` entries. */
export function createChangeLogWriter(
  target: WriteTarget,
  tail: WrittenTail,
  entriesMax: number,
): ChangeLogWriter {
  const noted: LoggedChange[] = [];
  return {
    note(change) {
      if (noted.length <= loggedChangesMax) noted.push(change);
    },
    finish() {
      if (noted.length === 0) return;
      append(target, tail, noted.length > loggedChangesMax ? [everything] : noted);
      dropOld(target, tail, entriesMax);
    },
  };
}

function append(target: WriteTarget, tail: WrittenTail, changes: readonly LoggedChange[]): void {
  let sequence = tail.changeLogLast ?? target.source.find(counterRecord, metaKeys.changeLog) ?? 0;
  for (const { kind, projectId, id, environment } of changes) {
    sequence += 1;
    target.put(changeLogRecord, sequenceKey(sequence), { sequence, kind, projectId, id, environment });
  }
  target.put(counterRecord, metaKeys.changeLog, sequence);
  tail.changeLogLast = sequence;
}

function dropOld(target: WriteTarget, tail: WrittenTail, entriesMax: number): void {
  const first = tail.changeLogFirst ?? readFirst(target);
  const firstKept = Math.max(first, (tail.changeLogLast ?? 0) - entriesMax + 1);
  if (firstKept > first) {
    target.removeRange('change-log', { start: firstSequence, end: sequenceKey(firstKept) });
  }
  tail.changeLogFirst = firstKept;
}

/** Entries have no gaps, and at least one was just appended. */
function readFirst(target: WriteTarget): number {
  for (const key of target.source.keys('change-log', { limit: 1 })) return sequenceOf(key);
  throw new Error('the change log is empty right after an append');
}
