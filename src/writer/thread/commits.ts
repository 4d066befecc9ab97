import type { Confirmation } from '../../cluster/client/replica-protocol.ts';
import type { RequireRoom } from '../../storage/lmdb/written-space.ts';
import type { Store } from '../../storage/store.ts';
import type { WriteTransaction } from '../../storage/write-transaction.ts';

export interface Committed<T> {
  /** Of the run that was committed. */
  readonly result: T;
  /** False: the run has changed nothing, and was verified to be of the newest state. */
  readonly isStored: boolean;
  /** Null where there is one node. Never rejects. */
  readonly confirmed: Promise<Confirmation> | null;
}

/** A change could not be brought to the record of a cluster. */
export class NotCommittedError extends Error {
  /**
   * `cut-off`: nothing was applied, and nothing can be asked. `refused`: nothing was applied, though the cluster was asked. `unknown`:
   * it may be applied.
   */
  readonly kind: 'cut-off' | 'refused' | 'unknown';
  /** Trying again is of no use. */
  readonly isLasting: boolean;

  /** @param options the cause is a fault of this node's store, if it is one */
  constructor(
    kind: NotCommittedError['kind'],
    message: string,
    { isLasting = false, ...options }: ErrorOptions & { readonly isLasting?: boolean } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.isLasting = isLasting;
  }
}

export interface CommitOptions {
  /** As for `Store.write`. */
  readonly requireRoom?: RequireRoom;
  /** It is decided in milliseconds, so that the lock of a cluster may be held meanwhile. */
  readonly isShort?: boolean;
}

/** How what is decided becomes durable. */
export interface Commits {
  /**
   * @param run decides on the newest state, synchronously. It may be run again, where another node was faster: what it
   * did before has happened nowhere.
   * @returns at once, where nobody else has to be asked
   * @throws as `Store.write`, and what `run` throws; NotCommittedError
   */
  commit<T>(
    run: (transaction: WriteTransaction) => T,
    options?: CommitOptions,
  ): Committed<T> | Promise<Committed<T>>;
  /**
   * Commits what this node counts for itself, at once; null where that shares the commits of changes.
   * @throws as `Store.write`
   */
  readonly commitOwn: ((run: (transaction: WriteTransaction) => void) => void) | null;
  /** Milliseconds from when a change is begun until its caller is told, whatever becomes of it; null where it is committed at once. */
  readonly answerMs: number | null;
}

/** In the store of this process, which nobody else writes to. */
export function localCommits(store: Store): Commits {
  return {
    commit: (run, options) => ({
      result: store.write(run, options?.requireRoom),
      isStored: true,
      confirmed: null,
    }),
    commitOwn: null,
    answerMs: null,
  };
}
