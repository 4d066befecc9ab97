import { randomUUID } from 'node:crypto';
import { assert } from '../../support/assert.ts';
import type { AnnouncedTransactions } from '../announced-transactions.ts';
import type { DatabaseName } from '../keys.ts';
import { RecordSource } from '../record-source.ts';
import { Snapshots } from '../snapshots.ts';
import { finishChangeLog } from '../tables/change-log.ts';
import { beginHistory } from '../tables/environment-versions.ts';
import {
  counterRecord,
  historyRecord,
  metaKeys,
  type ReplicaPlace,
  replicaPlaceRecord,
} from '../tables/meta.ts';
import type { EntryWrite, WriteTarget } from '../write-target.ts';
import type { WriteTransaction } from '../write-transaction.ts';
import {
  chainChecksum,
  decodeContent,
  encodeContent,
  NewerRowError,
  type ReplicaRow,
  type RowContent,
  recordsFormat,
} from './log-row.ts';
import { replaceState, type StateParts, type StateToTake } from './replace-state.ts';
import { isReplicated } from './replicated.ts';
import { type StateEntry, stateOf } from './state.ts';
import { UsageShares } from './usage-shares.ts';

/** A replica's own notes, written in the transactions that make them true. */
interface ReplicaNotes {
  readonly place: ReplicaPlace;
  /** Changes that it applied earlier may not be in the cluster any more: the next change begins another history. */
  readonly hasAnotherPast: boolean;
}

/** For a store that has not followed a log yet, or no longer does. */
const noNotes: ReplicaNotes = {
  place: { position: 0, checksum: Buffer.alloc(32) },
  hasAnotherPast: false,
};

/** Outside of transactions. */
function readNotes({ opened, target: { source } }: StateParts): ReplicaNotes {
  try {
    const place = source.find(replicaPlaceRecord, metaKeys.replica);
    if (place === undefined) return noNotes;
    return { place, hasAnotherPast: source.find(counterRecord, metaKeys.anotherPast) !== undefined };
  } finally {
    opened.root.resetReadTxn();
  }
}

/** Within a write transaction. @param before what is noted there */
function putNotes(target: WriteTarget, before: ReplicaNotes, { place, hasAnotherPast }: ReplicaNotes): void {
  target.put(replicaPlaceRecord, metaKeys.replica, place);
  if (hasAnotherPast === before.hasAnotherPast) return;
  if (hasAnotherPast) target.put(counterRecord, metaKeys.anotherPast, 1);
  else target.remove('meta', metaKeys.anotherPast);
}

/** Within a write transaction. */
function removeNotes(target: WriteTarget): void {
  target.remove('meta', metaKeys.replica);
  target.remove('meta', metaKeys.anotherPast);
}

/** The shared entries that a write transaction has put and removed: the last write of each key. */
class CapturedWrites {
  readonly #writes = new Map<string, EntryWrite>();

  /** @param value stays as it is */
  note(database: DatabaseName, key: Buffer, value: Buffer | null): void {
    if (!isReplicated(database, key)) return;
    this.#writes.set(`${database}\0${key.toString('latin1')}`, { database, key: Buffer.from(key), value });
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0;
  }

  get all(): readonly EntryWrite[] {
    return [...this.#writes.values()];
  }
}

/**
 * A row of the log does not continue what was applied here: the replica has another history, and must take over the
 * whole state.
 */
export class DivergedError extends Error {
  override readonly name = 'DivergedError';
}

/** Aborts a transaction in which only a decision was made. */
class GivenUp extends Error {}

/** What a decision would change. */
export interface DecidedRow extends ReplicaRow {
  /** The checksum of the row before it, which identifies the state of the decision. */
  readonly previous: Uint8Array;
  readonly content: RowContent;
}

export interface Decided<T> {
  readonly result: T;
  /** Null when no shared entry would change. */
  readonly row: DecidedRow | null;
}

/** The parts of its store that a replica uses. */
export interface ReplicaParts extends StateParts {
  /** One transaction at a time, while the data file is in its place. */
  exclusively<T>(run: () => T): T;
  exclusivelyThroughout<T>(run: () => Promise<T>): Promise<T>;
  transaction(): { readonly transaction: WriteTransaction; end(): void };
}

/**
 * A store that follows the log of a cluster. A change is decided here, in a transaction that is aborted, and committed
 * to the log, which orders the changes of all nodes. Then each node, the deciding one too, applies the row.
 */
export class Replica {
  /** The counts of this node. */
  readonly usage: UsageShares;
  readonly #parts: ReplicaParts;
  readonly #transactions: AnnouncedTransactions;
  #node: string;
  #notes: ReplicaNotes;
  #isBecoming = false;
  /** The row that was decided last, on the present place: what the target knows is the state after it. */
  #decided: DecidedRow | null = null;

  /** @param node the id of this process in the cluster */
  constructor(parts: ReplicaParts, node: string) {
    this.#parts = parts;
    this.#transactions = parts.transactions;
    this.usage = new UsageShares(parts);
    this.#node = node;
    this.#notes = readNotes(parts);
  }

  /** Position 0 is a directory that has followed no log yet. */
  get place(): ReplicaPlace {
    return this.#notes.place;
  }

  /** Earlier changes may not be in the cluster any more: the next decision begins another history, even if it changes nothing. */
  get hasAnotherPast(): boolean {
    return this.#notes.hasAnotherPast;
  }

  /** Another state is being taken over: no decision can be made, and no row applied. */
  get isBecoming(): boolean {
    return this.#isBecoming;
  }

  /**
   * Decides on the present state, and keeps nothing.
   * @param run synchronous; what it throws is thrown on
   * @throws DataFileMovedError, DataFileHeldError as `Store.write`
   */
  decide<T>(run: (transaction: WriteTransaction) => T): Decided<T> {
    const { target, opened } = this.#parts;
    return this.#parts.exclusively(() => {
      this.#forgetDecided();
      const captured = new CapturedWrites();
      target.begin(captured);
      const { transaction, end } = this.#parts.transaction();
      const results: T[] = [];
      try {
        opened.root.transactionSync(() => {
          results.push(run(transaction));
          if (this.#needsHistory(captured)) beginHistory(target);
          throw new GivenUp();
        });
      } catch (fault) {
        if (!(fault instanceof GivenUp)) {
          target.forget();
          throw fault;
        }
      } finally {
        end();
      }
      const [result] = results as [T];
      const writes = captured.all;
      if (writes.length === 0) return { result, row: null };
      this.#decided = this.#rowOf({ writes, logged: target.logged });
      return { result, row: this.#decided };
    });
  }

  /** A new cluster has none. If the log was set back, the history is no longer valid. */
  #needsHistory(captured: CapturedWrites): boolean {
    if (captured.isEmpty || this.hasAnotherPast) return this.hasAnotherPast;
    return this.#parts.target.source.find(historyRecord, metaKeys.history) === undefined;
  }

  #rowOf(content: RowContent): DecidedRow {
    const { position, checksum: previous } = this.place;
    const row = {
      position: position + 1,
      node: this.#node,
      batch: randomUUID(),
      format: recordsFormat,
      changes: encodeContent(content),
    };
    return { ...row, checksum: chainChecksum(previous, row), previous, content };
  }

  /**
   * Applies the rows that follow, in one transaction with the place that they lead to. Rows that were applied before
   * are skipped.
   * @param rows in the order of their positions
   * @throws DivergedError when they do not continue what was applied; nothing is applied then
   * @throws NewerRowError when this version does not understand one; nothing is applied then
   * @throws what `requireRoom` throws; nothing is applied then
   */
  follow(rows: readonly ReplicaRow[]): ReplicaPlace {
    const due = rows.filter(({ position }) => position > this.place.position);
    if (due.length === 0) return this.place;
    const place = this.#placeAfter(due);
    const newer = due.find(({ format }) => format > recordsFormat);
    if (newer !== undefined) throw new NewerRowError(`the row has records of format ${newer.format}`);
    const contents = due.map((row) => this.#decidedAs(row)?.content ?? decodeContent(row.changes));
    const beginsHistory = contents.some(({ writes }) => writes.some(isOfHistory));
    const notes = { place, hasAnotherPast: this.hasAnotherPast && !beginsHistory };
    const { target } = this.#parts;
    this.#parts.exclusively(() => {
      this.#forgetBefore(due);
      target.begin();
      this.#transactions.run((announce) => {
        for (const { writes, logged } of contents) {
          for (const write of writes) target.replay(write);
          for (const change of logged) target.log(change);
        }
        finishChangeLog(target, this.#parts.changeLogEntriesMax);
        putNotes(target, this.#notes, notes);
        this.#parts.requireRoom(target.space.growthMax(this.#parts.opened.root));
        announce();
      });
    });
    this.#notes = notes;
    return place;
  }

  /** @throws DivergedError */
  #placeAfter(rows: readonly ReplicaRow[]): ReplicaPlace {
    let { position, checksum } = this.place;
    for (const row of rows) {
      if (row.position !== position + 1) {
        throw new DivergedError(`row ${row.position} of the log comes after row ${position}`);
      }
      const after = this.#decidedAs(row)?.checksum ?? chainChecksum(checksum, row);
      if (!after.equals(row.checksum)) {
        throw new DivergedError(`row ${row.position} of the log does not continue what was applied here`);
      }
      position = row.position;
      checksum = row.checksum;
    }
    return { position, checksum };
  }

  /**
   * Makes this store equal to a state of the cluster, in one transaction: readers see the old state until it is durable.
   * @param batches its entries, in the order of database and key
   * @returns how many entries were written or removed
   */
  async become(
    { place, node, isOfAnotherPast }: StateToTake,
    batches: AsyncIterable<readonly StateEntry[]>,
  ): Promise<number> {
    assert(!this.#isBecoming, 'one state is taken over at a time');
    this.#isBecoming = true;
    // PostgreSQL was restored: positions and numbers of changes are used again.
    const isSetBack = isOfAnotherPast || place.position < this.place.position;
    const notes = { place, hasAnotherPast: this.hasAnotherPast || isSetBack };
    try {
      const written = await this.#parts.exclusivelyThroughout(() => {
        this.#decided = null;
        return replaceState(this.#parts, batches, () => putNotes(this.#parts.target, this.#notes, notes));
      });
      this.#notes = notes;
      this.#node = node;
      return written;
    } finally {
      this.#isBecoming = false;
    }
  }

  /**
   * Reads the state on one snapshot.
   * @param run consumes it before it awaits anything but what takes its entries
   */
  async reading<T>(run: (state: Iterable<StateEntry>) => Promise<T>): Promise<T> {
    const snapshots = new Snapshots(this.#parts.opened.root);
    try {
      return await run(stateOf(new RecordSource(this.#parts.opened.databases, snapshots)));
    } finally {
      snapshots.close();
    }
  }

  /** Sets the place of a store that is a state of the cluster already: of the one that was made its beginning. */
  begin(place: ReplicaPlace): void {
    assert(this.place.position === 0, 'a store becomes the beginning of a cluster once');
    const { target } = this.#parts;
    const notes = { place, hasAnotherPast: false };
    this.#parts.exclusively(() => {
      target.begin();
      this.#transactions.run((announce) => {
        putNotes(target, this.#notes, notes);
        target.remove('meta', metaKeys.usage);
        // The first change of the cluster begins its own.
        target.remove('meta', metaKeys.history);
        announce();
      });
    });
    this.#notes = notes;
  }

  /** The store no longer follows a log, and is served alone. */
  end(): void {
    this.#parts.exclusively(() => {
      const { target } = this.#parts;
      target.begin();
      this.#transactions.run((announce) => {
        removeNotes(target);
        target.remove('meta', metaKeys.usage);
        announce();
      });
    });
    this.#notes = noNotes;
  }

  /** The cache has the state of a decision that was not committed. */
  #forgetDecided(): void {
    if (this.#decided !== null) this.#parts.target.forget();
    this.#decided = null;
  }

  /** Of the row that was decided here last, what it says and its checksum are known. */
  #decidedAs({ batch }: ReplicaRow): DecidedRow | null {
    return batch === this.#decided?.batch ? this.#decided : null;
  }

  /** What the target knows is the state after these rows only if they are the one that was decided last. */
  #forgetBefore(rows: readonly ReplicaRow[]): void {
    const isOwn = rows.length === 1 && rows.every((row) => this.#decidedAs(row) !== null);
    if (!isOwn) this.#parts.target.forget();
    this.#decided = null;
  }
}

/** @returns whether an entry says which history numbers of changes belong to */
export function isOfHistory({ database, key }: EntryWrite): boolean {
  return database === 'meta' && key.equals(metaKeys.history);
}
