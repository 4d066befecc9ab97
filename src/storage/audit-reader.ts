import type { ChainedEntry, SequencedHead } from '../domain/audit/audit-entry.ts';
import type { AuditRange } from '../domain/record-queries.ts';
import { isIdShaped } from '../support/id-shape.ts';
import type { AuditHeads } from './audit-heads.ts';
import { DamagedRecordError } from './damaged-record-error.ts';
import { auditRange } from './keys/audit-keys.ts';
import { auditAnchorKey, idKey, ownedSequenceKey, rangeOf, sequenceOf } from './keys/key-parts.ts';
import type { RecordSource } from './record-source.ts';
import { auditAnchorRecord } from './records/audit-anchor-record.ts';
import { auditRecord, decodeAuditHead } from './records/audit-record.ts';

/** A ledger's entries, newest first, all on one snapshot. */
export function* auditOf(
  source: RecordSource,
  ledgerId: string,
  range: AuditRange = {},
): Generator<ChainedEntry> {
  for (const found of auditKeys(source, ledgerId, range)) yield entryAt(found.source, found.key);
}

/** As `auditOf`, without the changes: an entry whose head is known is not read again. @param known null: read each */
export function* auditHeadsOf(
  source: RecordSource,
  known: AuditHeads | null,
  ledgerId: string,
  range: AuditRange = {},
): Generator<SequencedHead> {
  for (const found of auditKeys(source, ledgerId, range)) {
    const sequence = sequenceOf(found.key);
    const head = known?.find(ledgerId, sequence);
    if (head === undefined) yield rememberedHead(entryAt(found.source, found.key), known);
    else yield { sequence, entry: head, bytesRead: 0 };
  }
}

function rememberedHead(
  { sequence, entry, bytesRead }: ChainedEntry,
  known: AuditHeads | null,
): SequencedHead {
  known?.add(sequence, entry);
  return { sequence, entry, bytesRead };
}

/** @returns the sequence of a ledger's newest entry, from its key alone; 0 when there is none. */
export function newestAuditSequence(source: RecordSource, ledgerId: string): number {
  if (!isIdShaped(ledgerId)) return 0;
  for (const key of source.keys('audit', { ...rangeOf(ledgerId), isReversed: true, limit: 1 })) {
    return sequenceOf(key);
  }
  return 0;
}

/** @returns the newest sequence that was dropped; 0 when none was. */
export function auditDroppedThrough(source: RecordSource, ledgerId: string): number {
  if (!isIdShaped(ledgerId)) return 0;
  return source.find(auditAnchorRecord, auditAnchorKey(ledgerId))?.sequence ?? 0;
}

interface FoundKey {
  readonly source: RecordSource;
  readonly key: Buffer;
}

function* auditKeys(
  source: RecordSource,
  ledgerId: string,
  { before, subjectId }: AuditRange,
): Generator<FoundKey> {
  if (!isIdShaped(ledgerId)) return;
  const pinned = source.pin();
  try {
    const keys =
      subjectId === undefined || subjectId === ledgerId
        ? keysOf(pinned.source, ledgerId, before ?? null)
        : keysAbout(pinned.source, ledgerId, subjectId, before ?? null);
    for (const key of keys) yield { source: pinned.source, key };
  } finally {
    pinned.release();
  }
}

function keysOf(source: RecordSource, ledgerId: string, before: number | null): Generator<Buffer> {
  return source.keys('audit', { ...auditRange(ledgerId, null, before), isReversed: true });
}

/** First what the index has, then the ledger's old end where it has none. */
function* keysAbout(
  source: RecordSource,
  ledgerId: string,
  subjectId: string,
  before: number | null,
): Generator<Buffer> {
  const from = source.findBytes('audit-by-subject', idKey(ledgerId));
  const indexedFrom = from === undefined ? null : sequenceOf(from);
  if (isIdShaped(subjectId)) {
    const range = { ...auditRange(ledgerId, subjectId, before), isReversed: true };
    for (const key of source.keys('audit-by-subject', range)) {
      yield ownedSequenceKey(ledgerId, sequenceOf(key));
    }
  }
  if (indexedFrom === 1) return;
  const olderThan = [before, indexedFrom].filter((sequence) => sequence !== null);
  yield* keysOf(source, ledgerId, olderThan.length === 0 ? null : Math.min(...olderThan));
}

/** @throws DamagedRecordError when the index names an entry that is not there. */
function entryAt(source: RecordSource, key: Buffer): ChainedEntry {
  const record = source.find(auditRecord, key);
  if (record === undefined)
    throw new DamagedRecordError('audit', key, 'an index names it, but it is not there');
  const { head, changesText } = decodeAuditHead(record.encodedEntry);
  const bytesRead = record.encodedEntry.length;
  return { sequence: sequenceOf(key), entry: head, changesText, bytesRead, hash: record.hash };
}
