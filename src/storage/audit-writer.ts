import type { AuditEntry } from '../domain/audit/audit-entry.ts';
import { chainHash, chainStart } from './audit-chain.ts';
import { ownedSequenceKey, rangeOf, sequenceOf } from './keys.ts';
import { auditRecord, encodeAuditEntry } from './records/audit-record.ts';
import type { WriteTarget } from './write-target.ts';
import type { LedgerHead, WrittenTail } from './written-tail.ts';

/** Appends an entry to its ledger's chain. */
export function appendAuditEntry(target: WriteTarget, tail: WrittenTail, entry: AuditEntry): void {
  const head = tail.head(entry.ledgerId) ?? readHead(target, entry.ledgerId);
  tail.setHead(entry.ledgerId, writeEntry(target, entry, head));
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
