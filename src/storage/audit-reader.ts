import type { ChainedEntry } from '../domain/audit/audit-entry.ts';
import type { AuditRange } from '../domain/record-queries.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { DamagedRecordError } from './damaged-record-error.ts';
import { auditRange, idKey, ownedSequenceKey, sequenceOf } from './keys.ts';
import type { RecordSource, StoredRecord } from './record-source.ts';
import { type AuditRecord, auditRecord, decodeAuditEntry } from './records/audit-record.ts';

/** A ledger's entries, newest first, all on one snapshot. */
export function* auditOf(
  source: RecordSource,
  ledgerId: string,
  { before, subjectId }: AuditRange = {},
): Generator<ChainedEntry> {
  if (!isIdShaped(ledgerId)) return;
  const pinned = source.pin();
  try {
    if (subjectId === undefined || subjectId === ledgerId) {
      yield* entriesOf(pinned.source, ledgerId, before ?? null);
    } else yield* entriesAbout(pinned.source, ledgerId, subjectId, before ?? null);
  } finally {
    pinned.release();
  }
}

function* entriesOf(source: RecordSource, ledgerId: string, before: number | null): Generator<ChainedEntry> {
  const range = { ...auditRange(ledgerId, null, before), isReversed: true };
  for (const stored of source.records(auditRecord, range)) yield chainedEntry(stored);
}

/** First what the index has, then the ledger's old end where it has none. */
function* entriesAbout(
  source: RecordSource,
  ledgerId: string,
  subjectId: string,
  before: number | null,
): Generator<ChainedEntry> {
  const from = source.findBytes('audit-by-subject', idKey(ledgerId));
  const indexedFrom = from === undefined ? null : sequenceOf(from);
  if (isIdShaped(subjectId)) {
    const range = { ...auditRange(ledgerId, subjectId, before), isReversed: true };
    for (const key of source.keys('audit-by-subject', range)) {
      yield indexedEntry(source, ledgerId, sequenceOf(key));
    }
  }
  if (indexedFrom === 1) return;
  const olderThan = [before, indexedFrom].filter((sequence) => sequence !== null);
  yield* entriesOf(source, ledgerId, olderThan.length === 0 ? null : Math.min(...olderThan));
}

/** @throws DamagedRecordError when the index names an entry that is not there. */
function indexedEntry(source: RecordSource, ledgerId: string, sequence: number): ChainedEntry {
  const key = ownedSequenceKey(ledgerId, sequence);
  const record = source.find(auditRecord, key);
  if (record !== undefined) return chainedEntry({ key, record });
  throw new DamagedRecordError('audit', key, 'an index names it, but it is not there');
}

function chainedEntry({ key, record }: StoredRecord<AuditRecord>): ChainedEntry {
  return { sequence: sequenceOf(key), entry: decodeAuditEntry(record.encodedEntry), hash: record.hash };
}
