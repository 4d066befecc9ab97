import * as lmdb from 'lmdb';
import type { ReadOptions, Root } from './lmdb/environment.ts';

/** The state that reads see: a snapshot, or the open write transaction. */
export interface ReadView {
  /** @throws Error when the store is closed or the hold released. */
  readonly options: ReadOptions | undefined;
  /** Holds the view's present snapshot: a pin for its life, a range from its first row to its last. */
  hold(): Hold;
}

/** A view that stays on one snapshot until it is released. */
export interface Hold extends ReadView {
  /** A second call has no effect. */
  release(): void;
}

/** Reads inside `transactionSync` see what it has written, because lmdb prefers the open write transaction. */
export const writeTransactionView: Hold = {
  options: undefined,
  hold: () => writeTransactionView,
  release() {},
};

/** Members of lmdb 3.5.6 that its published types lack. */
interface ReadTransaction extends lmdb.Transaction {
  readonly address: number;
  /** Takes the newest snapshot if the transaction was reset; otherwise does nothing. */
  renew(): void;
}

const { nativeAddon } = lmdb as unknown as { nativeAddon: { resetTxn(address: number): void } };

interface Snapshot {
  readonly transaction: ReadTransaction;
  readonly options: ReadOptions;
  holders: number;
}

/** Transactions kept for reuse. Each occupies a reader slot of LMDB, which all threads and processes share. */
const idleMax = 2;

/**
 * The snapshots of one reader, and the view of its current one. `renew` moves the current view to the newest state. A
 * snapshot that is held (by a pin, or an open range) stays as it is; its transaction is reused when the last holder
 * releases it. There are at most as many as are held at once, and LMDB's reader slots bound them all.
 */
export class Snapshots implements ReadView {
  readonly #root: Root;
  readonly #known = new Map<ReadTransaction, Snapshot>();
  readonly #idle: Snapshot[] = [];
  #current: Snapshot;
  #isClosed = false;

  constructor(root: Root) {
    this.#root = root;
    this.#current = this.#begin();
    this.renew();
  }

  get options(): ReadOptions {
    return this.#open().options;
  }

  /** Costs about 0.1 µs when nothing is held. */
  renew(): void {
    const current = this.#open();
    if (current.holders === 0) resetReadTransaction(current.transaction);
    else this.#current = this.#idle.pop() ?? this.#begin();
  }

  /** Holds the current snapshot. */
  hold(): Hold {
    return this.#hold(this.#open());
  }

  /** Ends all snapshots, held or not. An open range must not be read on. */
  close(): void {
    this.#isClosed = true;
    for (const transaction of this.#known.keys()) transaction.done();
    this.#known.clear();
  }

  #open(): Snapshot {
    if (this.#isClosed) throw new Error('The store is closed');
    return this.#current;
  }

  #begin(): Snapshot {
    const transaction = beginReadTransaction(this.#root);
    const known = this.#known.get(transaction);
    // Nothing was committed since: lmdb returned the transaction that we hold, and counted this use of it.
    if (known !== undefined) {
      transaction.done();
      return known;
    }
    const snapshot = { transaction, options: { transaction }, holders: 0 };
    this.#known.set(transaction, snapshot);
    return snapshot;
  }

  #hold(snapshot: Snapshot): Hold {
    snapshot.transaction.renew();
    snapshot.holders += 1;
    let isReleased = false;
    const held = () => {
      if (isReleased || this.#isClosed) throw new Error('This snapshot has been released');
      return snapshot;
    };
    return {
      get options() {
        return held().options;
      },
      hold: () => this.#hold(held()),
      release: () => {
        if (!isReleased && !this.#isClosed) this.#letGo(snapshot);
        isReleased = true;
      },
    };
  }

  #letGo(snapshot: Snapshot): void {
    snapshot.holders -= 1;
    if (snapshot.holders > 0 || snapshot === this.#current) return;
    if (this.#idle.length < idleMax) {
      resetReadTransaction(snapshot.transaction);
      this.#idle.push(snapshot);
      return;
    }
    this.#known.delete(snapshot.transaction);
    snapshot.transaction.done();
  }
}

/**
 * A read transaction of our own, on the newest snapshot; `done()` ends it. It may be one that was begun before, when
 * nothing was committed since.
 *
 * lmdb's own default transaction is not used for reads: each renewal starts a timer, which takes 152 bytes and keeps
 * the snapshot until the event loop runs it. Hence `resetReadTxn`: it makes lmdb forget the transaction as its default.
 */
function beginReadTransaction(root: Root): ReadTransaction {
  const transaction = root.useReadTransaction() as ReadTransaction;
  root.resetReadTxn();
  return transaction;
}

/** Releases the snapshot, so that its pages can be reused; the next read takes the newest one. */
function resetReadTransaction(transaction: ReadTransaction): void {
  nativeAddon.resetTxn(transaction.address);
}
