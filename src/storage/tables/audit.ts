import {
  type AuditEntry,
  auditSubjects,
  type ChainedEntry,
  type SequencedHead,
} from '../../domain/audit/audit-entry.ts';
import type { AuditRange } from '../../domain/record-queries.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { type Entry, type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { firstIdOf, ownedSequenceKey, rangeOf, sequenceOf } from '../keys/key-parts.ts';
import { emptyValue, missingRecord } from '../record-index.ts';
import type { RecordSource, StoredRecord } from '../record-source.ts';
import type { LedgerHead, WriteTarget } from '../write-target.ts';
import {
  type AuditHeads,
  type AuditRecord,
  auditRange,
  auditRecord,
  auditSubjectKey,
  chainHash,
  chainStart,
  decodeAuditEntry,
  decodeAuditHead,
  encodeAuditEntry,
  readAuditSubjectKey,
} from './audit-record.ts';
import { auditAnchorKey, auditAnchorRecord, historyRecord, metaKeys } from './meta.ts';
import type { Table } from './table.ts';

interface ChainEnd {
  readonly ledgerId: string;
  readonly sequence: number;
  readonly hash: Uint8Array;
}

/**
 * Each ledger's entries count without gaps from 1, or from the dropped ones; each hash covers all before it; and the
 * index is complete.
 */
function* checkAudit(walk: StoreWalk): Generator<Finding> {
  let end: ChainEnd = { ledgerId: '', sequence: 0, hash: chainStart };
  yield* walk.records(auditRecord, function* (stored) {
    const ledgerId = firstIdOf(stored.key);
    if (ledgerId !== end.ledgerId) end = beginningOf(walk, ledgerId);
    yield* checkLink(stored, end);
    yield* checkEntry(walk, stored, ledgerId);
    end = { ledgerId, sequence: sequenceOf(stored.key), hash: stored.record.hash };
  });
  yield* walk.entries('audit-by-subject', (entry) => checkIndexEntry(walk, entry));
}

/** The entry before the oldest kept one: the newest dropped one, if any was dropped. */
function beginningOf(walk: StoreWalk, ledgerId: string): ChainEnd {
  const start = { ledgerId, sequence: 0, hash: chainStart };
  if (!isIdShaped(ledgerId)) return start;
  const anchor = walk.find(auditAnchorRecord, auditAnchorKey(ledgerId));
  return anchor === null || anchor === undefined ? start : { ledgerId, ...anchor };
}

function* checkLink({ key, record }: StoredRecord<AuditRecord>, end: ChainEnd): Generator<Finding> {
  const finding = (what: string) => findingAt('audit', key, what);
  const follows = sequenceOf(key) === end.sequence + 1;
  if (!follows)
    yield finding(`follows entry ${end.sequence} of its ledger: entries between them are missing`);
  if (follows && !isSame(record.previousHash, end.hash))
    yield finding('does not continue the chain of hashes');
  if (!isSame(record.hash, chainHash(record.previousHash, record.encodedEntry))) {
    yield finding('its hash does not cover its content');
  }
}

function* checkEntry(
  walk: StoreWalk,
  { key, record }: StoredRecord<AuditRecord>,
  ledgerId: string,
): Generator<Finding> {
  const entry = readEntry(record);
  if (entry === null) yield findingAt('audit', key, 'its content cannot be read');
  else if (entry.ledgerId !== ledgerId) yield findingAt('audit', key, 'is of another ledger');
  else yield* checkIndexed(walk, entry, sequenceOf(key));
}

function readEntry(record: AuditRecord): AuditEntry | null {
  try {
    return decodeAuditEntry(record.encodedEntry);
  } catch {
    return null;
  }
}

function* checkIndexed(walk: StoreWalk, entry: AuditEntry, sequence: number): Generator<Finding> {
  for (const subjectId of auditSubjects(entry)) {
    const key = auditSubjectKey(entry.ledgerId, subjectId, sequence);
    if (walk.findBytes('audit-by-subject', key) !== undefined) continue;
    yield findingAt('audit-by-subject', key, 'the entry of a record is missing');
  }
}

function checkIndexEntry(walk: StoreWalk, { key }: Entry): Finding[] {
  const named = readAuditSubjectKey(key);
  if (named === null) return [findingAt('audit-by-subject', key, 'is not known here')];
  const recordKey = ownedSequenceKey(named.ledgerId, named.sequence);
  const name = `audit/${named.ledgerId}/${named.sequence}`;
  if (!walk.has(auditRecord, recordKey)) {
    return [findingAt('audit-by-subject', key, `names ${name}, which is missing`)];
  }
  const record = walk.find(auditRecord, recordKey);
  const entry = record === null ? null : readEntry(record);
  if (entry === null || auditSubjects(entry).includes(named.subjectId)) return [];
  return [findingAt('audit-by-subject', key, `does not fit ${name}`)];
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

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
