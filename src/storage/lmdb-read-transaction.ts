import * as lmdb from 'lmdb';
import type { Root } from './environment.ts';

/** What lmdb 3.5.6 has at run time and its published types leave out. */
export interface ReadTransaction extends lmdb.Transaction {
  readonly address: number;
  /** Takes the newest snapshot if the transaction was reset; otherwise does nothing. */
  renew(): void;
}

const { nativeAddon } = lmdb as unknown as { nativeAddon: { resetTxn(address: number): void } };

/**
 * A read transaction of our own, on the newest snapshot; `done()` ends it. It may be one that was begun before, when
 * nothing was committed since.
 *
 * lmdb's own default transaction is not used for reads: each time it is renewed it starts a timer, which takes 152 bytes
 * and keeps the snapshot until the event loop comes to it.
 * Hence `resetReadTxn`: it makes lmdb forget the transaction as its default.
 */
export function beginReadTransaction(root: Root): ReadTransaction {
  const transaction = root.useReadTransaction() as ReadTransaction;
  root.resetReadTxn();
  return transaction;
}

/** Gives the snapshot up, so that its pages can be used again; the next read takes the newest one. */
export function resetReadTransaction(transaction: ReadTransaction): void {
  nativeAddon.resetTxn(transaction.address);
}
