import type { RowOf } from '../../support/row-of.ts';

/*
 * Between the writer's thread, which has the replica, and the cluster's thread, which speaks to PostgreSQL. Bytes cross as
 * `Uint8Array`: structured cloning makes one of every Buffer.
 */

/**
 * `everywhere`: every node has it, or need not be waited for. `unconfirmed`: it is stored, and that took too long. `unknown`:
 * PostgreSQL has lost it, or nobody knows.
 */
export type Confirmation = 'everywhere' | 'unconfirmed' | 'unknown';

/** A row of the log. */
export type RowMessage = RowOf<Uint8Array>;

/** Where a replica stands in the log. */
export interface PlaceMessage {
  readonly position: number;
  readonly checksum: Uint8Array;
}

/** A state of the cluster that the replica is to become: see `StateToTake`. */
export interface StateMessage {
  readonly place: PlaceMessage;
  readonly node: string;
  readonly isOfAnotherPast: boolean;
}

/** Nothing was stored: PostgreSQL cannot be asked, or this node may not decide now; or it was asked, and has refused. */
export interface NotStored {
  readonly kind: 'cut-off' | 'refused';
  /** Why, for the log. */
  readonly message: string;
  /** The same change is refused again, whenever it is tried. */
  readonly isLasting: boolean;
}

/** A position is in PostgreSQL. */
interface Stored<Kind> {
  readonly kind: Kind;
  /** How often PostgreSQL was seen to lose a part of the history until then: what is confirmed later may be of another one. */
  readonly losses: number;
}

/** A flag's answers in one environment within an hour. */
export interface CountRow {
  /** Unix milliseconds of its beginning. */
  readonly hour: number;
  readonly flagId: string;
  readonly environmentNumber: number;
  readonly on: number;
  readonly off: number;
}

/** What the writer asks of the cluster. */
export interface ClusterCalls {
  /** Of the cluster's store: waits until PostgreSQL can be asked. */
  readonly storeId: { readonly args: null; readonly result: string };
  /** The replica is open: it is brought to the newest state. Resolves once it has a state that can be served. */
  readonly opened: {
    readonly args: { readonly storeId: string; readonly place: PlaceMessage };
    readonly result: null;
  };
  /** Commits a row that was decided at the place before it. */
  readonly commit: {
    readonly args: { readonly row: RowMessage; readonly previous: Uint8Array; readonly isLocked: boolean };
    readonly result:
      | Stored<'committed'>
      /** Another node was faster. Its row is fetched, or comes with the lock. */
      | { readonly kind: 'lost' }
      /** It may be in the log. If it is, it comes with the rows that follow. */
      | { readonly kind: 'unknown'; readonly message: string; readonly isLasting: false }
      | NotStored;
  };
  /**
   * Keeps all other nodes from committing, until a commit or `unlock`: for 2 s in which nothing is said at most, or for 30 s
   * for a long change.
   */
  readonly lock: {
    readonly args: { readonly position: number; readonly isLong: boolean };
    readonly result:
      | { readonly kind: 'locked'; readonly rows: readonly RowMessage[] }
      /** Further behind than is read under the lock, which was given up. */
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
  /** Resolves once every node has a position, or need not be waited for; or once it takes too long. */
  readonly confirm: {
    readonly args: {
      readonly position: number;
      /** As it was when the position was in PostgreSQL. */
      readonly losses: number;
      /** On the monotonic clock, from when on the wait counts. */
      readonly since: number;
      /** Where the replica stands now. */
      readonly place: PlaceMessage;
    };
    readonly result: Confirmation;
  };
  /** The node ends: what it has counted is told. Resolves also when that could not be done. */
  readonly tellLastUsage: { readonly args: null; readonly result: null };
  /** The replica has applied more, without being asked to. */
  readonly applied: { readonly args: PlaceMessage; readonly result: null };
}

/** What the cluster asks of the writer's replica. */
export interface ReplicaCalls {
  /** Applies the rows that follow. */
  readonly follow: {
    readonly args: readonly RowMessage[];
    readonly result:
      | { readonly kind: 'applied'; readonly place: PlaceMessage }
      /** The replica is of another history. */
      | { readonly kind: 'diverged'; readonly message: string }
      /** A row is of a newer version than this node. */
      | { readonly kind: 'newer'; readonly message: string };
  };
  /** Begins to make the replica equal to a state; `addState` brings its entries, in order. It is that node's from then on. */
  readonly beginState: {
    readonly args: StateMessage;
    readonly result: null;
  };
  /** @see encodeContent: entries as writes */
  readonly addState: { readonly args: Uint8Array; readonly result: null };
  /** All entries were brought. @returns how many were written or removed */
  readonly endState: { readonly args: null; readonly result: number };
  /** What the other nodes are to be told next of what this one has counted, and under which name. */
  readonly takeUsage: {
    readonly args: { readonly max: number };
    readonly result: { readonly id: string; readonly counts: readonly CountRow[] };
  };
  /** It could not be told. */
  readonly keepUsage: { readonly args: readonly CountRow[]; readonly result: null };
  readonly tellUsageAgain: { readonly args: null; readonly result: null };
  /** What all other nodes have counted. */
  readonly addUsage: { readonly args: readonly CountRow[]; readonly result: null };
  /** They cannot be brought: the replica stays as it was. */
  readonly giveUpState: { readonly args: null; readonly result: null };
}
