import { type AuditEntry, auditSubjects } from '../../domain/audit/audit-entry.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { type Entry, type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { firstIdOf, ownedSequenceKey, sequenceOf } from '../keys/key-parts.ts';
import type { StoredRecord } from '../record-source.ts';
import {
  type AuditRecord,
  auditRecord,
  auditSubjectKey,
  chainHash,
  chainStart,
  decodeAuditEntry,
  readAuditSubjectKey,
} from './audit-record.ts';
import { auditAnchorKey, auditAnchorRecord } from './meta.ts';

interface ChainEnd {
  readonly ledgerId: string;
  readonly sequence: number;
  readonly hash: Uint8Array;
}

/**
 * Each ledger's entries count without gaps from 1, or from the dropped ones; each hash covers all before it; and the
 * index is complete.
 */
export function* checkAudit(walk: StoreWalk): Generator<Finding> {
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

/** What the oldest kept entry continues: the newest dropped one, if any was dropped. */
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
