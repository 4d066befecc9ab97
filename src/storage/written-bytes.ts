import { quotaDayOf, quotaEntryOf } from '../domain/organisation/write-quota.ts';
import type { RecordChange } from '../domain/record-change.ts';
import { idKey, writtenBytesKey } from './keys/key-parts.ts';
import type { RecordSource } from './record-source.ts';
import { projectRecord } from './records/project-record.ts';
import { writtenBytesRecord } from './records/written-bytes-record.ts';
import type { WriteTarget } from './write-target.ts';

/** Personal projects count together, for their owner: a member may have many. @returns whose quota the ledger's is */
function holderOf(source: RecordSource, ledgerId: string): string {
  return source.find(projectRecord, idKey(ledgerId))?.ownerMemberId ?? ledgerId;
}

/** @returns how many bytes members and tokens have written on the day, to all that has one quota with the ledger */
export function writtenBytesOn(source: RecordSource, ledgerId: string, day: number): number {
  return writtenBy(source, holderOf(source, ledgerId), day);
}

function writtenBy(source: RecordSource, holderId: string, day: number): number {
  const written = source.find(writtenBytesRecord, writtenBytesKey(holderId));
  return written?.day === day ? written.bytes : 0;
}

/**
 * Counts what changes have written, in the transaction that writes it: no crash gives it anew. It lies beside the counters
 * that most commits write anyway, and one record is kept for each organisation and each owner of personal projects.
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
  const holderId = holderOf(target.source, ledgerId);
  const before = writtenBy(target.source, holderId, day);
  target.put(writtenBytesRecord, writtenBytesKey(holderId), { day, bytes: before + bytes });
}
