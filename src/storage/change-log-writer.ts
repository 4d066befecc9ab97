import { metaKeys, sequenceKey } from './keys.ts';
import { type ChangeLogEntry, changeLogRecord } from './records/change-log-record.ts';
import { counterRecord } from './records/counter-record.ts';
import type { WriteTarget } from './write-target.ts';

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
export function createChangeLogWriter(target: WriteTarget, entriesMax: number): ChangeLogWriter {
  const noted: LoggedChange[] = [];
  return {
    note(change) {
      if (noted.length <= loggedChangesMax) noted.push(change);
    },
    finish() {
      if (noted.length > 0)
        append(target, noted.length > loggedChangesMax ? [everything] : noted, entriesMax);
    },
  };
}

function append(target: WriteTarget, changes: readonly LoggedChange[], entriesMax: number): void {
  let sequence = target.source.find(counterRecord, metaKeys.changeLog) ?? 0;
  for (const change of changes) {
    sequence += 1;
    target.put(changeLogRecord, sequenceKey(sequence), { sequence, ...change });
  }
  target.put(counterRecord, metaKeys.changeLog, sequence);
  const firstKept = Math.max(0, sequence - entriesMax + 1);
  target.removeRange('change-log', { start: firstSequence, end: sequenceKey(firstKept) });
}
