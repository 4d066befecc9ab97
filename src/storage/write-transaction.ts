import type { RecordChange } from '../domain/record-change.ts';
import type { RecordQueries } from '../domain/record-queries.ts';

/** A write transaction of the store, while it is open. */
export interface WriteTransaction {
  /** Sees what this transaction has applied. */
  readonly queries: RecordQueries;
  apply(changes: readonly RecordChange[]): void;
  /**
   * How many bytes members and tokens have written to an organisation, or a personal project, on a UTC day: keys and
   * values that their changes have put. 0 for a day that is not the newest.
   */
  writtenBytesOn(ledgerId: string, day: number): number;
  /**
   * Drops a bounded number of audit entries from before `olderThan` (Unix milliseconds), but never the newest of a
   * ledger.
   * @throws DamagedRecordError when one cannot be read; nothing is dropped then
   */
  dropAuditEntries(olderThan: number): void;
}
