import type { RecordQueries } from '../domain/record-queries.ts';
import { assert } from '../support/assert.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { StoreVersion } from '../support/store-version.ts';
import { AnnouncedTransactions } from './announced-transactions.ts';
import { isEmpty } from './lmdb/environment.ts';
import type { RequireRoom } from './lmdb/written-space.ts';
import { Replica } from './replica/replica.ts';
import { openForWriting, requireKept, type StoreOptions, type WritableStore } from './store-opening.ts';
import { measureStore, type StoreMeasures } from './store-statistics.ts';
import { AuditRetention } from './tables/audit-retention.ts';
import { finishChangeLog } from './tables/change-log.ts';
import { counterRecord, metaKeys, writtenBytesOn } from './tables/meta.ts';
import { applyChanges, createRecordQueries } from './tables/tables.ts';
import { WriteTarget } from './write-target.ts';
import type { WriteTransaction } from './write-transaction.ts';

const defaultChangeLogEntriesMax = 65_536;
/** How long a process that was killed while it read may keep freed pages from being used again. */
const defaultDeadReadersEveryMs = 10_000;

/**
 * Opens the store of a directory, and creates it where there is none. In a process it comes before the first reader:
 * lmdb cannot write to a file that the process has opened read-only.
 * @throws StoreError whose message says what is wrong and what to do.
 */
export function openStore(options: StoreOptions): Store {
  return new Store(openForWriting(options), options);
}

/** The writer's side. There is one for a data directory, and its opener holds the claim (`lmdb/claim.ts`). */
export class Store {
  readonly id: string;
  readonly #directory: string;
  readonly #opened: WritableStore;
  readonly #target: WriteTarget;
  readonly #queries: RecordQueries;
  readonly #changeLogEntriesMax: number;
  readonly #retention = new AuditRetention();
  readonly #deadReadersEveryMs: number;
  readonly #transactions: AnnouncedTransactions;
  #sequence: number;
  #isWriting = false;
  #deadReadersAt = monotonicMs();

  constructor(opened: WritableStore, options: StoreOptions) {
    this.#directory = options.directory;
    this.id = opened.identity.id;
    this.#opened = opened;
    this.#target = new WriteTarget(opened.databases);
    this.#queries = createRecordQueries({
      source: this.#target.source,
      auditHeads: null,
    });
    this.#changeLogEntriesMax = options.changeLogEntriesMax ?? defaultChangeLogEntriesMax;
    this.#deadReadersEveryMs = options.deadReadersEveryMs ?? defaultDeadReadersEveryMs;
    const version = options.storeVersion === undefined ? null : new StoreVersion(options.storeVersion);
    this.#transactions = new AnnouncedTransactions(opened.root, version, this.#target);
    this.#sequence = this.#outside(() => this.#readSequence());
  }

  /**
   * Of the newest change-log entry. It does not move when only tokens, members, organisations, audit, activity or the
   * outbox change: a version that tells readers to renew must count every write.
   */
  sequence(): number {
    return this.#sequence;
  }

  /**
   * Runs `run` within one transaction: its changes, their indexes, audit, change-log and outbox entries are stored
   * together or not at all. They are on disk when it returns, and readers in other threads know (`StoreVersion`).
   *
   * @param run synchronous; an exception aborts everything and is rethrown.
   * @param requireRoom called with the bytes that the data file can grow by, after each `apply` and before the commit;
   * an exception aborts everything, too. A write that the disk refuses would end the whole process.
   * @throws Error of lmdb when the disk refuses (a full disk shows as an input/output error, too); nothing is kept
   * then.
   * @throws DataFileMovedError when the data file is not in its place any more, DataFileHeldError when another process
   * is opening it and was stopped at that moment; nothing is begun then.
   */
  write<T>(run: (transaction: WriteTransaction) => T, requireRoom?: RequireRoom): T {
    return this.#exclusively(() => this.#transact(run, requireRoom));
  }

  /**
   * The store as the replica of a cluster. From then on only the replica changes the entries that all nodes share.
   * @param requireRoom as for `write`, for everything that the replica applies
   */
  asReplica(node: string, requireRoom: RequireRoom = () => undefined): Replica {
    return new Replica(
      {
        requireRoom,
        opened: this.#opened,
        target: this.#target,
        transactions: this.#transactions,
        changeLogEntriesMax: this.#changeLogEntriesMax,
        exclusively: (run) => this.#exclusively(run),
        exclusivelyThroughout: (run) => this.#exclusivelyThroughout(run),
        transaction: () => this.#begin(),
      },
      node,
    );
  }

  #exclusively<T>(run: () => T): T {
    if (this.#isWriting) throw new Error('A write within a write');
    this.#isWriting = true;
    try {
      requireKept(this.#opened.place, this.#directory);
      return this.#opened.gate.within(() => {
        this.#dropDeadReaders();
        return run();
      });
    } finally {
      this.#isWriting = false;
    }
  }

  async #exclusivelyThroughout<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isWriting) throw new Error('A write within a write');
    this.#isWriting = true;
    try {
      requireKept(this.#opened.place, this.#directory);
      return await this.#opened.gate.throughout(run);
    } finally {
      this.#isWriting = false;
    }
  }

  /** No organisation, member or project: nothing was ever provisioned. */
  isEmpty(): boolean {
    const { organisations, members, projects } = this.#opened.databases;
    return this.#outside(() => [organisations, members, projects].every(isEmpty));
  }

  /** Whether a member can sign in. Not within a write. */
  hasMembers(): boolean {
    return !this.#outside(() => isEmpty(this.#opened.databases.members));
  }

  /** Not within a write. */
  measure(): StoreMeasures {
    return measureStore(this.#directory, this.#opened.root, this.#opened.databases);
  }

  async close(): Promise<void> {
    assert(!this.#isWriting, 'a store is not closed within a write');
    try {
      await this.#opened.root.close();
    } finally {
      this.#opened.gate.close();
    }
  }

  #transact<T>(run: (transaction: WriteTransaction) => T, requireRoom?: RequireRoom): T {
    const target = this.#target;
    const { space, tail } = target;
    const { root } = this.#opened;
    const last = tail.changeLogLast;
    target.begin();
    const { transaction, hasChanged, end } = this.#begin(requireRoom);
    try {
      const written = this.#transactions.run((announce) => {
        const result = run(transaction);
        finishChangeLog(target, this.#changeLogEntriesMax);
        requireRoom?.(space.growthMax(root));
        const sequence = tail.changeLogLast ?? this.#readSequence();
        assert(
          last === null || sequence === last + target.logged.length,
          'the change log counts each change',
        );
        if (hasChanged()) announce();
        return { result, sequence };
      });
      this.#sequence = written.sequence;
      return written.result;
    } finally {
      target.end();
      end();
    }
  }

  /** The transaction that a decision is made in, usable until `end`. */
  #begin(requireRoom?: RequireRoom) {
    const target = this.#target;
    let [isOpen, hasChanged] = [true, false];
    const transaction: WriteTransaction = {
      queries: this.#queries,
      apply: (changes) => {
        if (!isOpen) throw new Error('This transaction is over');
        applyChanges(target, changes);
        hasChanged ||= changes.length > 0;
        // Now and not only at the end: lmdb writes to the disk what does not fit its memory.
        requireRoom?.(target.space.growthMax(this.#opened.root));
      },
      writtenBytesOn: (ledgerId, day) => writtenBytesOn(target.source, ledgerId, day),
      dropAuditEntries: (olderThan) => this.#retention.drop(target, olderThan),
    };
    const end = (): void => {
      isOpen = false;
    };
    return { transaction, hasChanged: () => hasChanged, end };
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
