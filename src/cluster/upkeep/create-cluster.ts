import { randomBytes } from 'node:crypto';
import { firstChecksum, recordsFormat } from '../../storage/replica/log-row.ts';
import type { StateEntry } from '../../storage/replica/state.ts';
import type { ReplicaPlace } from '../../storage/tables/meta.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { ClusterExistsError, createCluster, openSnapshot } from '../sql/record-statements.ts';

export interface CreatedCluster {
  /** Position of the store that it was made of. */
  readonly place: ReplicaPlace;
  readonly records: number;
  readonly bytes: number;
}

export interface NewClusterOptions {
  readonly store: string;
  /** Replaces the cluster of the same store, if its nodes are stopped. */
  readonly mayReplace: boolean;
}

/**
 * Creates a cluster of a store: its tables and its whole state, all or nothing. The log begins with a random
 * checksum, so that no directory can be mistaken for a replica of another cluster.
 * @param state of the store
 * @throws ClusterExistsError
 */
export async function createClusterOf(
  connection: SqlConnection,
  { store, mayReplace }: NewClusterOptions,
  state: Iterable<StateEntry>,
): Promise<CreatedCluster> {
  const checksum = firstChecksum(randomBytes(32));
  const uploaded = await createCluster(connection, {
    store,
    format: recordsFormat,
    checksum,
    records: state,
    mayReplace,
  });
  return { place: { position: 1, checksum }, ...uploaded };
}

/**
 * Finds a cluster that `createClusterOf` made of the same state, if the command ended before it marked the directory.
 * @returns null when the cluster has another store, has changed since, or differs from the state
 */
export async function findCreated(
  connection: SqlConnection,
  store: string,
  state: Iterable<StateEntry>,
): Promise<CreatedCluster | null> {
  const snapshot = await openSnapshot(connection);
  try {
    const { head } = snapshot;
    if (head.store !== store || head.position !== 1 || head.closedAt !== null) return null;
    const sum = { records: 0, bytes: 0 };
    const entries = state[Symbol.iterator]();
    for await (const batch of snapshot.batches()) {
      for (const record of batch) {
        const { value: entry } = entries.next() as IteratorResult<StateEntry, undefined>;
        const isSame =
          entry?.database === record.database &&
          entry.key.equals(record.key) &&
          entry.value.equals(record.value);
        if (!isSame) return null;
        sum.records += 1;
        sum.bytes += record.key.length + record.value.length;
      }
    }
    if (entries.next().done !== true) return null;
    return { place: { position: 1, checksum: head.checksum }, ...sum };
  } finally {
    await snapshot.close();
  }
}

/** @throws ClusterExistsError with what exists, and what can be done */
export async function refuseExisting(connection: SqlConnection, store: string): Promise<never> {
  const snapshot = await openSnapshot(connection);
  const { head } = snapshot;
  await snapshot.close();
  const { schema } = connection;
  if (head.store !== store) throw new ClusterExistsError(schema, `of another store, ${head.store}`);
  if (head.closedAt !== null)
    throw new ClusterExistsError(schema, 'of this store, closed by `burgee cluster leave`');
  throw new ClusterExistsError(schema, `of this store, at position ${head.position}`);
}
