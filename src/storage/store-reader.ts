import type { AuditEntry } from '../domain/audit/audit-entry.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import { isIdShaped } from '../support/id-shape.ts';
import type { EvaluationQueries } from './evaluation-reader.ts';
import { rangeOf, sequenceKey, sequenceOf } from './keys/key-parts.ts';
import { type DatabaseName, databaseNames } from './keys.ts';
import { allOf } from './record-index.ts';
import { KnownRecords, RecordSource } from './record-source.ts';
import { Snapshots } from './snapshots.ts';
import { openForReading, type ReadableStore, type StoreOptions } from './store-opening.ts';
import { foundAudience } from './tables/audiences.ts';
import { AuditHeads, auditRecord, decodeAuditEntry } from './tables/audit-record.ts';
import { type ChangeLogEntry, changeLogRecord } from './tables/change-log.ts';
import { environmentVersion } from './tables/environment-versions.ts';
import { foundFlag, foundFlagsOf } from './tables/flags.ts';
import { counterRecord, historyRecord, metaKeys } from './tables/meta.ts';
import { createRecordQueries } from './tables/tables.ts';

/** The numbers of changes in a view of the store (`tables/environment-versions.ts`). */
interface SyncQueries {
  /** The history that the numbers belong to. */
  history(): string;
  /** The number of the last change; 0 before the first. */
  number(): number;
  /** The number of the last change that concerned an environment; 0 for none. */
  versionOf(projectId: string, environmentNumber: number): number;
  /** The change log, newest first. Lazy: consume it without awaiting in between. */
  newestChanges(): Iterable<ChangeLogEntry>;
}

/** @param storeId stands for the history of a cluster in which nothing was changed yet */
function createSyncQueries(source: RecordSource, storeId: string): SyncQueries {
  return {
    history: () => source.find(historyRecord, metaKeys.history) ?? storeId,
    number: () => source.find(counterRecord, metaKeys.changes) ?? 0,
    versionOf: (projectId, environmentNumber) => environmentVersion(source, projectId, environmentNumber),
    *newestChanges() {
      const range = { end: sequenceKey(Number.MAX_SAFE_INTEGER), isReversed: true };
      for (const { record } of source.records(changeLogRecord, range)) yield record;
    },
  };
}

export interface PinnedSnapshot {
  readonly queries: RecordQueries;
  readonly evaluation: EvaluationQueries;
  readonly sync: SyncQueries;
  /** Until then the file grows with every change. A second call has no effect. */
  release(): void;
}

export interface StoredAuditEntry {
  /** Number within its ledger, from 1, without gaps. */
  readonly sequence: number;
  readonly entry: AuditEntry;
  /** SHA-256, 32 bytes. */
  readonly previousHash: Uint8Array;
  readonly hash: Uint8Array;
}

/** Reading an entry takes some 5 µs. For more entries than this, dropping the whole cache delays evaluations less. */
const changesFollowedMax = 1000;
/** The most records of callers, their projects and organisations that are cached. */
const askersKnownMax = 1024;

/** @throws StoreError when the directory has no store, none that can be read, or not the one that is served. */
export function openStoreReader(options: StoreOptions): StoreReader {
  return new StoreReader(openForReading(options));
}

/**
 * A read-only view of the store for any thread or process. Iterables are lazy: consume them without awaiting in
 * between. Reads throw DamagedRecordError when the disk does not have what was written.
 */
export class StoreReader {
  readonly id: string;
  /** Queries on the current snapshot: the state at the first read after opening or the last `renew`. */
  readonly queries: RecordQueries;
  /**
   * On the same snapshot, for the records that many requests ask for: they are decoded once for each snapshot. The
   * records are shared, and must not be changed.
   */
  readonly askers: RecordQueries;
  /** On the same snapshot. */
  readonly evaluation: EvaluationQueries;
  /** On the same snapshot. */
  readonly sync: SyncQueries;
  readonly #opened: ReadableStore;
  readonly #snapshots: Snapshots;
  readonly #source: RecordSource;
  readonly #known = new KnownRecords(askersKnownMax);
  readonly #auditHeads = new AuditHeads();

  constructor(opened: ReadableStore) {
    this.id = opened.identity.id;
    this.#opened = opened;
    this.#snapshots = new Snapshots(opened.root);
    this.#source = new RecordSource(opened.databases, this.#snapshots);
    const auditHeads = this.#auditHeads;
    this.queries = createRecordQueries({ source: this.#source, auditHeads });
    const known = new RecordSource(opened.databases, this.#snapshots, this.#known);
    this.askers = createRecordQueries({ source: known, auditHeads });
    this.evaluation = createEvaluationQueries(this.#source);
    this.sync = createSyncQueries(this.#source, this.id);
  }

  /**
   * Releases the current snapshot; the next read takes the newest. Call it when the store's version has moved, and
   * before going idle: an open snapshot makes the file grow.
   */
  renew(): void {
    this.#known.forgetAll();
    this.#snapshots.renew();
  }

  /** Sequence of the newest change-log entry. */
  sequence(): number {
    return this.#source.find(counterRecord, metaKeys.changeLog) ?? 0;
  }

  /** The entries after `sequence`, oldest first; null when it is too far behind, or not from this store's past. */
  changesSince(sequence: number): readonly ChangeLogEntry[] | null {
    const behind = this.sequence() - sequence;
    if (behind === 0) return [];
    if (behind < 0 || behind > changesFollowedMax) return null;
    const entries: ChangeLogEntry[] = [];
    for (let next = sequence + 1; next <= sequence + behind; next += 1) {
      // One by one: a worker mostly follows a commit or two, and a range's cursor costs more than their look-ups.
      const entry = this.#source.find(changeLogRecord, sequenceKey(next));
      if (entry === undefined) return null;
      entries.push(entry);
    }
    return entries;
  }

  /** Pins the current snapshot, so that it survives later renewals. */
  pin(): PinnedSnapshot {
    const { source, release } = this.#source.pin();
    const queries = createRecordQueries({ source, auditHeads: this.#auditHeads });
    const sync = createSyncQueries(source, this.id);
    return { queries, evaluation: createEvaluationQueries(source), sync, release };
  }

  /** Oldest first. */
  *auditEntries(ledgerId: string): Generator<StoredAuditEntry> {
    if (!isIdShaped(ledgerId)) return;
    for (const { key, record } of this.#source.records(auditRecord, rangeOf(ledgerId))) {
      const { previousHash, hash, encodedEntry } = record;
      yield { sequence: sequenceOf(key), entry: decodeAuditEntry(encodedEntry), previousHash, hash };
    }
  }

  /** Oldest first. */
  changeLog(): Iterable<ChangeLogEntry> {
    return allOf(this.#source, changeLogRecord);
  }

  /** Records in each database. */
  counts(): ReadonlyMap<DatabaseName, number> {
    return new Map(databaseNames.map((name) => [name, this.#source.count(name)]));
  }

  /** Releases every pin. No iterable may be open. */
  close(): Promise<void> {
    this.#snapshots.close();
    return this.#opened.close();
  }
}

function createEvaluationQueries(source: RecordSource): EvaluationQueries {
  return {
    flag: (id) => foundFlag(source, id),
    audience: (id) => foundAudience(source, id),
    flagsOf: (projectId) => foundFlagsOf(source, projectId),
  };
}
