import {
  aboveAll,
  firstIdOf,
  idBytes,
  idKey,
  type KeyRange,
  ownedIdKey,
  sequenceBytes,
  sequenceKey,
  sequenceOf,
} from './key-parts.ts';

/** An audit entry of the ledger that concerns a project, or is about a flag, a token, … */
export function auditSubjectKey(ledgerId: string, subjectId: string, sequence: number): Buffer {
  return Buffer.concat([ownedIdKey(ledgerId, subjectId), sequenceKey(sequence)]);
}

/** What a key of `audit-by-subject` consists of; null for what says from where on a ledger is indexed. */
export function readAuditSubjectKey(key: Buffer) {
  if (key.length !== 2 * idBytes + sequenceBytes) return null;
  const subjectId = key.toString('latin1', idBytes, 2 * idBytes);
  return { ledgerId: firstIdOf(key), subjectId, sequence: sequenceOf(key) };
}

/** A ledger's entries below `before`, which counts from 1; or those of them that the index has for one subject. */
export function auditRange(ledgerId: string, subjectId: string | null, before: number | null): KeyRange {
  const prefix = subjectId === null ? idKey(ledgerId) : ownedIdKey(ledgerId, subjectId);
  // The upper end of a range that is read backwards is included.
  const last = before === null ? aboveAll : sequenceKey(before - 1);
  return { start: prefix, end: Buffer.concat([prefix, last]) };
}
