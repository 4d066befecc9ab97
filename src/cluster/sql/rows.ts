import type { RowOf } from '../../support/row-of.ts';

/** A row of the log as PostgreSQL stores it. */
export type LogRow = RowOf<Buffer>;

/** Rows in order, without gaps. */
export interface LogRows {
  readonly rows: readonly LogRow[];
  /** A bound ended the read. Read on after the last row before anything is decided. */
  readonly hasMore: boolean;
}

/** A database of the replica, and the record's key in it. */
export interface RecordKey {
  readonly database: string;
  readonly key: Buffer;
}

/** A primary record. Each node rebuilds derived records itself. */
export interface RecordRow extends RecordKey {
  readonly value: Buffer;
}

/** The head of the history, a single row. */
export interface Head {
  /** Id of the store, the same in each replica. */
  readonly store: string;
  /** Version of the tables. */
  readonly schema: number;
  /** The newest format among the rows. */
  readonly format: number;
  readonly position: number;
  readonly checksum: Buffer;
  /** Oldest position whose row is kept. A replica behind it takes over the whole state. */
  readonly keptFrom: number;
  /** Unix milliseconds at which the cluster was closed, so that no writer commits any more. Null while it is open. */
  readonly closedAt: number | null;
}

/** A node as it last renewed its lease. */
export interface NodeRow {
  /** New for each process. */
  readonly id: string;
  /** The node's own count of renewals. Two equal values mean that it did not renew in between. */
  readonly counter: number;
  /** Position that it had applied at its renewal. */
  readonly applied: number;
  /** Newest format that it can decode. */
  readonly knowsFormat: number;
  /** Length of its lease, `BURGEE_CLUSTER_LEASE_MS`. */
  readonly leaseMs: number;
}
