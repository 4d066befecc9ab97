import { quotaDayOf, quotaEntryOf } from '../domain/organisation/write-quota.ts';
import type { RecordChange } from '../domain/record-change.ts';
import { writtenBytesKey } from './keys/key-parts.ts';
import type { RecordSource } from './record-source.ts';
import { writtenBytesRecord } from './records/written-bytes-record.ts';
import type { WriteTarget } from './write-target.ts';

/** @returns how many bytes members and tokens have written to the ledger's organisation on the day */
export function writtenBytesOn(source: RecordSource, ledgerId: string, day: number): number {
  const written = source.find(writtenBytesRecord, writtenBytesKey(ledgerId));
  return written?.day === day ? written.bytes : 0;
}

/**
 * Counts what changes have written, in the transaction that writes it: no crash gives it anew. It lies beside the counters
 * that most commits write anyway, and one record is kept for each ledger.
 */
export function countWrittenBytes(
  target: WriteTarget,
  changes: readonly RecordChange[],
  bytes: number,
): void {
  const entry = quotaEntryOf(changes);
  if (entry === null) return;
  const { ledgerId, at } = entry;
  const day = quotaDayOf(at);
  const before = writtenBytesOn(target.source, ledgerId, day);
  target.put(writtenBytesRecord, writtenBytesKey(ledgerId), { day, bytes: before + bytes });
}
