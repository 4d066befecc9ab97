import type { Transaction } from 'lmdb';

/** Passed to every lmdb read; undefined reads the open write transaction. */
export interface ReadOptions {
  readonly transaction: Transaction;
}

/** The state that reads see: a snapshot, or the open write transaction. */
export interface ReadView {
  /** @throws Error once the store is closed or the hold released. */
  readonly options: ReadOptions | undefined;
  /** Keeps the view's present snapshot as it is: a pin's for its life, a range's from its first row to its last. */
  hold(): Hold;
}

/** A view that stays on one snapshot until it is released. */
export interface Hold extends ReadView {
  /** Can be called again without effect. */
  release(): void;
}

/** Reads inside `transactionSync` see what it has written: lmdb prefers the open write transaction by itself. */
export const writeTransactionView: Hold = {
  options: undefined,
  hold: () => writeTransactionView,
  release() {},
};
