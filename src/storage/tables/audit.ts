import {
  type AuditEntry,
  auditSubjects,
  type ChainedEntry,
  type SequencedHead,
} from '../../domain/audit/audit-entry.ts';
import type { AuditRange } from '../../domain/record-queries.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { ownedSequenceKey, rangeOf, sequenceOf } from '../keys/key-parts.ts';
import { emptyValue, missingRecord } from '../record-index.ts';
import type { RecordSource } from '../record-source.ts';
import type { LedgerHead, WriteTarget } from '../write-target.ts';
import { checkAudit } from './audit-check.ts';
import {
  type AuditHeads,
  auditRange,
  auditRecord,
  auditSubjectKey,
  chainHash,
  chainStart,
  decodeAuditHead,
  encodeAuditEntry,
} from './audit-record.ts';
import { auditAnchorKey, auditAnchorRecord, historyRecord, metaKeys } from './meta.ts';
import type { Table } from './table.ts';

export const auditTable = {
  kinds: [{ codec: auditRecord, indexes: [] }],
  answers: {
    auditOf: ({ source }, ledgerId, range) => auditOf(source, ledgerId, range),
    auditHeadsOf: ({ auditHeads, source }, ledgerId, range) =>
      auditHeadsOf(source, auditHeads, ledgerId, range),
    auditDroppedThrough: ({ source }, ledgerId) => auditDroppedThrough(source, ledgerId),
    auditHistory: ({ source }) => source.find(historyRecord, metaKeys.history) ?? '',
    newestAuditSequence: ({ source }, ledgerId) => newestAuditSequence(source, ledgerId),
  },
  writes: { audit: (target, { entry }) => appendAuditEntry(target, entry) },
  check: checkAudit,
} satisfies Table;

/** A ledger's entries, newest first, all from one snapshot. */
function* auditOf(source: RecordSource, ledgerId: string, range: AuditRange = {}): Generator<ChainedEntry> {
  for (const found of auditKeys(source, ledgerId, range)) yield entryAt(found.source, found.key);
}

/**
 * The same as `auditOf`, without the changes. An entry whose head is known is not read again. @param known null: read
 * each
 */
function* auditHeadsOf(
  source: RecordSource,
  known: AuditHeads | null,
  ledgerId: string,
  range: AuditRange = {},
): Generator<SequencedHead> {
  for (const found of auditKeys(source, ledgerId, range)) {
    const sequence = sequenceOf(found.key);
    const head = known?.find(ledgerId, sequence);
    if (head !== undefined) yield { sequence, entry: head, bytesRead: 0 };
    else {
      const bytes = peekEntry(found.source, found.key);
      const { entry } = chainedEntry(found.key, bytes);
      known?.add(sequence, entry);
      yield { sequence, entry, bytesRead: bytes.length };
    }
  }
}

/** @returns the sequence of a ledger's newest entry, from its key alone; 0 for none. */
export function newestAuditSequence(source: RecordSource, ledgerId: string): number {
  if (!isIdShaped(ledgerId)) return 0;
  for (const key of source.keys('audit', { ...rangeOf(ledgerId), isReversed: true, limit: 1 })) {
    return sequenceOf(key);
  }
  return 0;
}

/** @returns the newest sequence that was dropped; 0 for none. */
function auditDroppedThrough(source: RecordSource, ledgerId: string): number {
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

function* keysAbout(
  source: RecordSource,
  ledgerId: string,
  subjectId: string,
  before: number | null,
): Generator<Buffer> {
  if (!isIdShaped(subjectId)) return;
  const range = { ...auditRange(ledgerId, subjectId, before), isReversed: true };
  for (const key of source.keys('audit-by-subject', range)) {
    yield ownedSequenceKey(ledgerId, sequenceOf(key));
  }
}

/** @throws DamagedRecordError when the index names a missing entry. */
function entryAt(source: RecordSource, key: Buffer): ChainedEntry {
  return chainedEntry(key, Buffer.from(peekEntry(source, key)));
}

/** @returns memory of lmdb's that its next read overwrites */
function peekEntry(source: RecordSource, key: Buffer): Buffer {
  const found = source.peekBytes('audit', key);
  if (found === undefined) throw missingRecord(auditRecord, key);
  return Buffer.from(found.buffer, found.byteOffset, found.length);
}

/** @param bytes of the record, in which its changes stay */
function chainedEntry(key: Buffer, bytes: Buffer): ChainedEntry {
  const { hash, encodedEntry } = auditRecord.decode(key, bytes);
  const { head, changesJson } = decodeAuditHead(encodedEntry);
  return { sequence: sequenceOf(key), entry: head, bytesRead: encodedEntry.length, hash, changesJson };
}

/** Appends an entry to its ledger's chain, and indexes it. */
function appendAuditEntry(target: WriteTarget, entry: AuditEntry): void {
  const { ledgerId } = entry;
  const { tail } = target;
  const head = tail.head(ledgerId) ?? readHead(target, ledgerId);
  const next = writeEntry(target, entry, head);
  for (const subjectId of auditSubjects(entry)) {
    target.putBytes('audit-by-subject', auditSubjectKey(ledgerId, subjectId, next.sequence), emptyValue);
  }
  tail.setHead(ledgerId, next);
}

function readHead(target: WriteTarget, ledgerId: string): LedgerHead {
  const newest = { ...rangeOf(ledgerId), isReversed: true, limit: 1 };
  for (const { key, record } of target.source.records(auditRecord, newest)) {
    return { sequence: sequenceOf(key), hash: record.hash };
  }
  return { sequence: 0, hash: chainStart };
}

function writeEntry(target: WriteTarget, entry: AuditEntry, head: LedgerHead): LedgerHead {
  const sequence = head.sequence + 1;
  const encodedEntry = encodeAuditEntry(entry);
  const hash = chainHash(head.hash, encodedEntry);
  const key = ownedSequenceKey(entry.ledgerId, sequence);
  target.put(auditRecord, key, { previousHash: head.hash, hash, encodedEntry });
  return { sequence, hash };
}
