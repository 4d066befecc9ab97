import { type AuditEntry, auditSubjects } from '../domain/audit/audit-entry.ts';
import { chainHash, chainStart } from './audit-chain.ts';
import { auditSubjectKey } from './keys/audit-keys.ts';
import { idKey, ownedSequenceKey, rangeOf, sequenceKey, sequenceOf } from './keys/key-parts.ts';
import { auditRecord, encodeAuditEntry } from './records/audit-record.ts';
import type { WriteTarget } from './write-target.ts';
import type { LedgerHead, WrittenTail } from './written-tail.ts';

const empty = Buffer.alloc(0);

/** Appends an entry to its ledger's chain, and indexes it. */
export function appendAuditEntry(target: WriteTarget, tail: WrittenTail, entry: AuditEntry): void {
  const { ledgerId } = entry;
  const head = tail.head(ledgerId) ?? takeUp(target, ledgerId);
  const next = writeEntry(target, entry, head);
  for (const subjectId of auditSubjects(entry)) {
    target.putBytes('audit-by-subject', auditSubjectKey(ledgerId, subjectId, next.sequence), empty);
  }
  tail.setHead(ledgerId, next);
}

/** A ledger that no entry was indexed of says from where on it is: what an older version wrote stays as it is. */
function takeUp(target: WriteTarget, ledgerId: string): LedgerHead {
  const head = readHead(target, ledgerId);
  if (target.source.findEntry('audit-by-subject', idKey(ledgerId)) === undefined) {
    target.putBytes('audit-by-subject', idKey(ledgerId), sequenceKey(head.sequence + 1));
  }
  return head;
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
