import type { RowOf } from '../../support/row-of.ts';

/** As PostgreSQL keeps it. */
export type LogRow = RowOf<Buffer>;

/** Rows in order without a gap between them. */
export interface LogRows {
  readonly rows: readonly LogRow[];
  /** A bound ended them: read on from the last before anything is decided. */
  readonly hasMore: boolean;
}

/** Where a record is: a database of the replica and its key there. */
export interface RecordKey {
  readonly database: string;
  readonly key: Buffer;
}

/** A primary record as it is now; what is derived from these is rebuilt by each node. */
export interface RecordRow extends RecordKey {
  readonly value: Buffer;
}

/** The one row that says where the history is. */
export interface Head {
  /** The store's id, which each replica of the cluster has. */
  readonly store: string;
  /** Version of the tables. */
  readonly schema: number;
  /** The newest format among the rows. */
  readonly format: number;
  readonly position: number;
  readonly checksum: Buffer;
  /** The oldest position whose row is still there. A replica before it starts anew from the records. */
  readonly keptFrom: number;
  /** Unix milliseconds when somebody went back to a single node: no writer commits any more. Null while it is open. */
  readonly closedAt: number | null;
}

/** A node as it last renewed its lease. */
export interface NodeRow {
  /** New for each process. */
  readonly id: string;
  /** The node's own count of its renewals: the same number twice means that it did not renew in between. */
  readonly counter: number;
  /** The position that it had applied when it renewed. */
  readonly applied: number;
  /** The newest format that it can decode. */
  readonly knowsFormat: number;
  /** For how long it takes its state for current after a renewal, `BURGEE_CLUSTER_LEASE_MS`. Null: of a version that tells none. */
  readonly leaseMs: number | null;
}
