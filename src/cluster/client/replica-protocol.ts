import type { EvaluationCount } from '../../domain/usage/evaluation-count.ts';
import type { ReplicaPlace } from '../../storage/tables/meta.ts';
import type { RowOf } from '../../support/row-of.ts';

/*
 * Messages between the writer's thread, which owns the replica, and the cluster's thread, which talks to PostgreSQL.
 * Bytes are `Uint8Array`, because structured cloning turns every Buffer into one.
 */

/**
 * `everywhere`: every node with a lease has applied it. `unconfirmed`: it is stored, but some node did not confirm it
 * in time. `unknown`: PostgreSQL may have lost it.
 */
export type Confirmation = 'everywhere' | 'unconfirmed' | 'unknown';

/** A row of the log. */
export type RowMessage = RowOf<Uint8Array>;

/** A state that the replica takes over: see `StateToTake`. */
export interface StateMessage {
  readonly place: ReplicaPlace;
  readonly node: string;
  readonly isOfAnotherPast: boolean;
}

/** Nothing was stored: PostgreSQL is away or refused the change, or this node may not decide now. */
export interface NotStored {
  readonly kind: 'cut-off' | 'refused';
  /** Reason for the log. */
  readonly message: string;
  /** A retry would be refused, too. */
  readonly isLasting: boolean;
}

/** The change is in PostgreSQL. */
interface Stored<Kind> {
  readonly kind: Kind;
  /** Number of losses of history that were noticed until then. A later loss invalidates confirmations. */
  readonly losses: number;
}

/** Calls from the writer to the cluster's thread. */
export interface ClusterCalls {
  /** Id of the cluster's store. Waits until PostgreSQL answers. */
  readonly storeId: { readonly args: null; readonly result: string };
  /** Brings the opened replica to the newest state. Resolves once it has a state that can be served. */
  readonly opened: {
    readonly args: { readonly storeId: string; readonly place: ReplicaPlace };
    readonly result: null;
  };
  /** Commits a row that was decided on the state at the position before it. */
  readonly commit: {
    readonly args: { readonly row: RowMessage; readonly previous: Uint8Array; readonly isLocked: boolean };
    readonly result:
      | Stored<'committed'>
      /** Another node was faster. The follower fetches its row, or `lock` returns it. */
      | { readonly kind: 'lost' }
      /** The row may be in the log. If it is, it arrives with the next rows. */
      | { readonly kind: 'unknown'; readonly message: string; readonly isLasting: false }
      | NotStored;
  };
  /**
   * Keeps all other nodes from committing until a commit or `unlock`. PostgreSQL ends the lock after 2 s of silence,
   * or 30 s for a long change.
   */
  readonly lock: {
    readonly args: { readonly position: number; readonly isLong: boolean };
    readonly result:
      | { readonly kind: 'locked'; readonly rows: readonly RowMessage[] }
      /** The replica is too far behind to read under the lock, which was released. */
      | { readonly kind: 'behind'; readonly rows: readonly RowMessage[] }
      | NotStored;
  };
  readonly unlock: { readonly args: null; readonly result: null };
  /** Asks whether a state is the newest one. */
  readonly verify: {
    readonly args: { readonly position: number };
    readonly result:
      | Stored<'newest'>
      | { readonly kind: 'behind'; readonly rows: readonly RowMessage[] }
      | NotStored;
  };
  /** Resolves once every node with a lease has applied a position, or after the timeout. */
  readonly confirm: {
    readonly args: {
      readonly position: number;
      /** The loss counter at commit time. */
      readonly losses: number;
      /** Start of the wait, on the monotonic clock. */
      readonly since: number;
      /** The replica's position now. */
      readonly place: ReplicaPlace;
    };
    readonly result: Confirmation;
  };
  /** Sends the last usage counts when the node ends. Resolves also when that failed. */
  readonly tellLastUsage: { readonly args: null; readonly result: null };
  /** The replica has applied more rows on its own. */
  readonly applied: { readonly args: ReplicaPlace; readonly result: null };
}

/** Calls from the cluster's thread to the writer's replica. */
export interface ReplicaCalls {
  /** Applies the next rows. */
  readonly follow: {
    readonly args: readonly RowMessage[];
    readonly result:
      | { readonly kind: 'applied'; readonly place: ReplicaPlace }
      /** The replica has another history. */
      | { readonly kind: 'diverged'; readonly message: string }
      /** A newer version of Burgee wrote a row. */
      | { readonly kind: 'newer'; readonly message: string };
  };
  /**
   * Begins to take over a state. `addState` brings its entries in order. The replica belongs to the named node from
   * then on.
   */
  readonly beginState: {
    readonly args: StateMessage;
    readonly result: null;
  };
  /** @see encodeContent: entries as writes */
  readonly addState: { readonly args: Uint8Array; readonly result: null };
  /** Ends the state after its last entry. @returns how many entries were written or removed */
  readonly endState: { readonly args: null; readonly result: number };
  /** The next usage counts to send to PostgreSQL, and the name under which they are stored. */
  readonly takeUsage: {
    readonly args: { readonly max: number };
    readonly result: { readonly id: string; readonly counts: readonly EvaluationCount[] };
  };
  /** Returns counts that could not be sent. */
  readonly keepUsage: { readonly args: readonly EvaluationCount[]; readonly result: null };
  readonly tellUsageAgain: { readonly args: null; readonly result: null };
  /** Adds the counts of all other nodes. */
  readonly addUsage: { readonly args: readonly EvaluationCount[]; readonly result: null };
  /** Discards the new state: the replica stays unchanged. */
  readonly giveUpState: { readonly args: null; readonly result: null };
}
