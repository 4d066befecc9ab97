import type { RecordChange } from '../domain/record-change.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { StoreVersion } from '../support/store-version.ts';
import { AuditRetention } from './audit-retention.ts';
import type { Table } from './environment.ts';
import { metaKeys } from './keys/key-parts.ts';
import type { MigratedStore } from './migrations/migrate-store.ts';
import type { Migration } from './migrations/migration.ts';
import { createRecordQueries } from './record-reader.ts';
import { createRecordWriter } from './record-writer.ts';
import { counterRecord } from './records/counter-record.ts';
import { measureStore, type StoreMeasures } from './store-measures.ts';
import { openForWriting, requireKept, type StoreOptions, type WritableStore } from './store-opening.ts';
import { WriteTarget } from './write-target.ts';
import { writtenBytesOn } from './written-bytes.ts';
import { WrittenTail } from './written-tail.ts';

export type { StoreOptions } from './store-opening.ts';

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

/** The writer's side. There is one for a data directory, and its opener holds the claim (`claim.ts`). */
export interface Store {
  readonly id: string;
  /** What opening it has done about an older format; null when it had the present one. */
  readonly migrated: MigratedStore | null;
  /**
   * Of the newest change-log entry. It does not move when only tokens, members, organisations, audit, activity or the
   * outbox change: a version that tells readers to renew must count every write.
   */
  sequence(): number;
  /**
   * Runs `run` within one transaction: its changes, their indexes, audit, change-log and outbox entries are kept
   * together or not at all. They are on disk when it returns, and readers in other threads know (`StoreVersion`).
   *
   * @param run synchronous; what it throws aborts everything and is thrown on.
   * @param requireRoom called with the bytes that the data file can grow by, after each `apply` and before the commit;
   * what it throws aborts everything, too. A write that the disk refuses would cost the whole process.
   * @throws Error of lmdb when the disk refuses (a full disk shows as an input/output error, too); nothing is kept then.
   * @throws DataFileMovedError when the data file is not in its place any more, DataFileHeldError when another process
   * is opening it and was stopped at that moment; nothing is begun then.
   */
  write<T>(run: (transaction: WriteTransaction) => T, requireRoom?: (growthMax: number) => void): T;
  /** No organisation, member or project: nothing was ever provisioned. */
  isEmpty(): boolean;
  /** Whether anybody can sign in. Not within a write. */
  hasMembers(): boolean;
  /** Not within a write. */
  measure(): StoreMeasures;
  close(): Promise<void>;
}

const defaultChangeLogEntriesMax = 65_536;
/** How long a process that was killed while it read may keep freed pages from being used again. */
const defaultDeadReadersEveryMs = 10_000;

/**
 * Opens the store of a directory, and creates it where there is none. In a process it comes before the first reader:
 * lmdb cannot write to a file that the process has opened read-only.
 * @throws StoreError whose message says what is wrong and what to do.
 */
export function openStore(options: StoreOptions, migrations?: readonly Migration[]): Store {
  return new LmdbStore(openForWriting(options, migrations), options);
}

class LmdbStore implements Store {
  readonly id: string;
  readonly migrated: MigratedStore | null;
  readonly #directory: string;
  readonly #opened: WritableStore;
  readonly #target: WriteTarget;
  readonly #queries: RecordQueries;
  readonly #changeLogEntriesMax: number;
  readonly #tail = new WrittenTail();
  readonly #retention = new AuditRetention();
  readonly #deadReadersEveryMs: number;
  readonly #version: StoreVersion | null;
  #sequence: number;
  #isWriting = false;
  #deadReadersAt = monotonicMs();

  constructor(opened: WritableStore, options: StoreOptions) {
    this.#directory = options.directory;
    this.id = opened.identity.id;
    this.migrated = opened.migrated;
    this.#opened = opened;
    this.#target = new WriteTarget(opened.tables);
    this.#queries = createRecordQueries(this.#target.source, null);
    this.#changeLogEntriesMax = options.changeLogEntriesMax ?? defaultChangeLogEntriesMax;
    this.#deadReadersEveryMs = options.deadReadersEveryMs ?? defaultDeadReadersEveryMs;
    this.#version = options.storeVersion === undefined ? null : new StoreVersion(options.storeVersion);
    this.#sequence = this.#outside(() => this.#readSequence());
  }

  sequence(): number {
    return this.#sequence;
  }

  write<T>(run: (transaction: WriteTransaction) => T, requireRoom?: (growthMax: number) => void): T {
    if (this.#isWriting) throw new Error('A write within a write');
    this.#isWriting = true;
    try {
      requireKept(this.#opened.place, this.#directory);
      return this.#opened.gate.within(() => {
        this.#dropDeadReaders();
        return this.#transact(run, requireRoom);
      });
    } finally {
      this.#isWriting = false;
    }
  }

  isEmpty(): boolean {
    const { organisations, members, projects } = this.#opened.tables;
    return this.#outside(() => [organisations, members, projects].every(isEmptyTable));
  }

  hasMembers(): boolean {
    return !this.#outside(() => isEmptyTable(this.#opened.tables.members));
  }

  measure(): StoreMeasures {
    return measureStore(this.#directory, this.#opened.root, this.#opened.tables);
  }

  async close(): Promise<void> {
    try {
      await this.#opened.root.close();
    } finally {
      this.#opened.gate.close();
    }
  }

  #transact<T>(run: (transaction: WriteTransaction) => T, requireRoom?: (growthMax: number) => void): T {
    const { space } = this.#target;
    space.reset();
    const { root } = this.#opened;
    const writer = createRecordWriter(this.#target, this.#tail, this.#changeLogEntriesMax);
    let isOpen = true;
    let hasChanged = false;
    let isAnnounced = false;
    const apply = (changes: readonly RecordChange[]) => {
      if (!isOpen) throw new Error('This transaction is over');
      writer.apply(changes);
      hasChanged ||= changes.length > 0;
      // Now and not only at the end: lmdb writes out what does not fit its memory.
      requireRoom?.(space.growthMax(root));
    };
    try {
      // An object: lmdb would take some results (a promise, its own ABORT) as instructions.
      const written = root.transactionSync(() => {
        const writtenOn = (ledgerId: string, day: number) =>
          writtenBytesOn(this.#target.source, ledgerId, day);
        const dropAuditEntries = (olderThan: number) => this.#retention.drop(this.#target, olderThan);
        const result = run({ queries: this.#queries, apply, writtenBytesOn: writtenOn, dropAuditEntries });
        writer.finish();
        requireRoom?.(space.growthMax(root));
        const sequence = this.#tail.changeLogLast ?? this.#readSequence();
        isAnnounced = hasChanged;
        if (isAnnounced) this.#version?.begin();
        return { result, sequence };
      });
      this.#sequence = written.sequence;
      return written.result;
    } catch (fault) {
      this.#tail.forget();
      this.#target.forgetKnown();
      throw fault;
    } finally {
      isOpen = false;
      if (isAnnounced) this.#version?.end();
    }
  }

  /** A backup or check that is killed leaves its snapshot in LMDB's list of readers, and the file would grow for ever. */
  #dropDeadReaders(): void {
    const now = monotonicMs();
    if (now - this.#deadReadersAt < this.#deadReadersEveryMs) return;
    this.#deadReadersAt = now;
    this.#opened.root.readerCheck();
  }

  /** A read outside a write; lmdb would keep its snapshot until the event loop turns. */
  #outside<T>(read: () => T): T {
    try {
      return read();
    } finally {
      this.#opened.root.resetReadTxn();
    }
  }

  #readSequence(): number {
    return this.#target.source.find(counterRecord, metaKeys.changeLog) ?? 0;
  }
}

function isEmptyTable(table: Table): boolean {
  return table.getKeysCount({ limit: 1 }) === 0;
}
