import { randomBytes } from 'node:crypto';
import { firstChecksum, recordsFormat } from '../../storage/replica/log-row.ts';
import type { StateEntry } from '../../storage/replica/state.ts';
import type { ReplicaPlace } from '../../storage/tables/meta.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { createCluster } from '../sql/record-statements.ts';

export interface CreatedCluster {
  /** Where the store that it was made of stands from now on. */
  readonly place: ReplicaPlace;
  readonly records: number;
  readonly bytes: number;
}

/**
 * Makes a cluster of a store: its tables, and its whole state in them, all or nothing. The chain of its log begins with a
 * checksum of its own, so that no directory is ever taken for a part of another cluster.
 * @param state of the store
 * @throws ClusterExistsError
 */
export async function createClusterOf(
  connection: SqlConnection,
  store: string,
  state: Iterable<StateEntry>,
): Promise<CreatedCluster> {
  const checksum = firstChecksum(randomBytes(32));
  const uploaded = await createCluster(connection, {
    store,
    format: recordsFormat,
    checksum,
    records: state,
  });
  return { place: { position: 1, checksum }, ...uploaded };
}
