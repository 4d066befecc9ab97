import type { RecordChange } from '../domain/record-change.ts';
import type { RecordQueries } from '../domain/record-queries.ts';

/** A write transaction of the store, while it is open. */
export interface WriteTransaction {
  /** Sees what this transaction has applied. */
  readonly queries: RecordQueries;
  apply(changes: readonly RecordChange[]): void;
  /**
   * How many bytes members and tokens have written to an organisation, or a personal project, on a UTC day: keys and
   * values of what their changes have put. Of a day that is not the newest it is 0.
   */
  writtenBytesOn(ledgerId: string, day: number): number;
  /**
   * Drops a bounded few audit entries of before `olderThan` (Unix milliseconds), the newest of each ledger never.
   * @throws DamagedRecordError when one cannot be read; nothing is dropped then
   */
  dropAuditEntries(olderThan: number): void;
}
