import type { AuditEntry } from '../domain/audit/audit-entry.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import type { Denial, OutboxEntry } from '../domain/token/denial.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { AuditHeads } from './audit-heads.ts';
import { createEvaluationQueries, type EvaluationQueries, type HeldBytes } from './evaluation-reader.ts';
import { metaKeys, rangeOf, sequenceKey, sequenceOf } from './keys/key-parts.ts';
import { type DatabaseName, databaseNames } from './keys.ts';
import { createRecordQueries } from './record-reader.ts';
import { RecordSource } from './record-source.ts';
import { auditRecord, decodeAuditEntry } from './records/audit-record.ts';
import { type ChangeLogEntry, changeLogRecord } from './records/change-log-record.ts';
import { counterRecord } from './records/counter-record.ts';
import { Snapshots } from './snapshots.ts';
import { openForReading, type ReadableStore, type StoreOptions } from './store-opening.ts';

export interface PinnedSnapshot {
  readonly queries: RecordQueries;
  readonly evaluation: EvaluationQueries;
  /** What is kept of the long record that was last read from it in steps. */
  readonly held: Readonly<HeldBytes>;
  /** Until then the file grows with every change that is made. Can be called again without effect. */
  release(): void;
}

export interface StoredAuditEntry {
  /** Within its ledger, from 1, without gaps. */
  readonly sequence: number;
  readonly entry: AuditEntry;
  /** SHA-256, 32 bytes. */
  readonly previousHash: Uint8Array;
  readonly hash: Uint8Array;
}

/**
 * A read-only view of the store for any thread or process. Iterables are lazy: consume them before awaiting anything.
 * Reads throw DamagedRecordError where the disk has not kept what was written.
 */
export interface StoreReader {
  readonly id: string;
  /** On the current snapshot: the state at the first read after opening or the last `renew`. */
  readonly queries: RecordQueries;
  /** On the same snapshot. */
  readonly evaluation: EvaluationQueries;
  /**
   * Lets go of the current snapshot; the next read takes the newest. Call it when the store's version moved, and before
   * going idle: a snapshot that is kept makes the file grow.
   */
  renew(): void;
  /** Of the newest change-log entry. */
  sequence(): number;
  /** The entries after `sequence`, oldest first; null when it is too far behind, or not of this store's past. */
  changesSince(sequence: number): readonly ChangeLogEntry[] | null;
  /** The current snapshot, to be kept over later renewals. */
  pin(): PinnedSnapshot;
  /** Oldest first. */
  auditEntries(ledgerId: string): Iterable<StoredAuditEntry>;
  /** Newest first. */
  activityOf(tokenId: string): Iterable<Denial>;
  /** Oldest first. */
  outbox(): Iterable<{ readonly sequence: number; readonly entry: OutboxEntry }>;
  /** Oldest first. */
  changeLog(): Iterable<ChangeLogEntry>;
  /** Records in each database. */
  counts(): ReadonlyMap<DatabaseName, number>;
  /** Releases every pin. No iterable may be open. */
  close(): Promise<void>;
}

/** Reading an entry takes some 5 µs; beyond this many, dropping the whole cache delays evaluations less. */
const changesFollowedMax = 1000;

/** @throws StoreError when there is no store in the directory, none that can be read, or not the one that is served. */
export function openStoreReader(options: StoreOptions): StoreReader {
  return new LmdbStoreReader(openForReading(options));
}

class LmdbStoreReader implements StoreReader {
  readonly id: string;
  readonly queries: RecordQueries;
  readonly evaluation: EvaluationQueries;
  readonly #opened: ReadableStore;
  readonly #snapshots: Snapshots;
  readonly #source: RecordSource;
  readonly #auditHeads = new AuditHeads();

  constructor(opened: ReadableStore) {
    this.id = opened.identity.id;
    this.#opened = opened;
    this.#snapshots = new Snapshots(opened.root);
    this.#source = new RecordSource(opened.tables, this.#snapshots);
    this.queries = createRecordQueries(this.#source, this.#auditHeads);
    this.evaluation = createEvaluationQueries(this.#source, { bytes: 0 });
  }

  renew(): void {
    this.#snapshots.renew();
  }

  sequence(): number {
    return this.#source.find(counterRecord, metaKeys.changeLog) ?? 0;
  }

  changesSince(sequence: number): readonly ChangeLogEntry[] | null {
    const behind = this.sequence() - sequence;
    if (behind === 0) return [];
    if (behind < 0 || behind > changesFollowedMax) return null;
    const range = { start: sequenceKey(sequence + 1) };
    const entries = Array.from(this.#source.records(changeLogRecord, range), ({ record }) => record);
    return entries.length === behind ? entries : null;
  }

  pin(): PinnedSnapshot {
    const { source, release } = this.#source.pin();
    const held = { bytes: 0 };
    const queries = createRecordQueries(source, this.#auditHeads, held);
    return { queries, evaluation: createEvaluationQueries(source, held), held, release };
  }

  *auditEntries(ledgerId: string): Generator<StoredAuditEntry> {
    if (!isIdShaped(ledgerId)) return;
    for (const { key, record } of this.#source.records(auditRecord, rangeOf(ledgerId))) {
      const { previousHash, hash, encodedEntry } = record;
      yield { sequence: sequenceOf(key), entry: decodeAuditEntry(encodedEntry), previousHash, hash };
    }
  }

  activityOf(tokenId: string): Iterable<Denial> {
    return this.queries.denialsOf(tokenId);
  }

  outbox(): Iterable<{ sequence: number; entry: OutboxEntry }> {
    return this.queries.outboxAfter(0);
  }

  *changeLog(): Generator<ChangeLogEntry> {
    for (const { record } of this.#source.records(changeLogRecord)) yield record;
  }

  counts(): ReadonlyMap<DatabaseName, number> {
    return new Map(databaseNames.map((name) => [name, this.#source.count(name)]));
  }

  close(): Promise<void> {
    this.#snapshots.close();
    return this.#opened.close();
  }
}
