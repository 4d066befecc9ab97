import type { Confirmation } from '../../cluster/client/replica-protocol.ts';
import type { RequireRoom } from '../../storage/lmdb/written-space.ts';
import type { Store } from '../../storage/store.ts';
import type { WriteTransaction } from '../../storage/write-transaction.ts';

export interface Committed<T> {
  /** The result of the run that was committed. */
  readonly result: T;
  /** False: the run changed nothing. That it saw the newest state was verified. */
  readonly isStored: boolean;
  /** Null without a cluster. Never rejects. */
  readonly confirmed: Promise<Confirmation> | null;
}

/** A change could not be committed to the log of a cluster. */
export class NotCommittedError extends Error {
  /**
   * `cut-off`: nothing was applied, because the cluster cannot be reached. `refused`: nothing was applied, because the cluster
   * did not accept it. `unknown`: it may be applied.
   */
  readonly kind: 'cut-off' | 'refused' | 'unknown';
  /** A retry would fail too. */
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
  /** It is decided within milliseconds, so the cluster's lock may be held while it is. */
  readonly isShort?: boolean;
}

/** Makes decisions durable. */
export interface Commits {
  /**
   * @param run decides on the newest state, synchronously. It is run again if another node was faster; its first run then had
   * no effect.
   * @returns no promise without a cluster
   * @throws as `Store.write`, and what `run` throws; NotCommittedError
   */
  commit<T>(
    run: (transaction: WriteTransaction) => T,
    options?: CommitOptions,
  ): Committed<T> | Promise<Committed<T>>;
  /**
   * Commits this node's own counts, at once. Null without a cluster: counts share the commits of changes.
   * @throws as `Store.write`
   */
  readonly commitOwn: ((run: (transaction: WriteTransaction) => void) => void) | null;
  /** Milliseconds after its beginning in which a change is answered. Null without a cluster: it is committed at once. */
  readonly answerMs: number | null;
}

/** Commits to this process's own store, without a cluster. */
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
