import { existsSync } from 'node:fs';
import type { SqlConnection } from '../cluster/sql/connection.ts';
import { readClusterHead } from '../cluster/sql/head-statements.ts';
import { closeAtReplica, NodesRunError } from '../cluster/upkeep/leave-cluster.ts';
import type { Config } from '../config/config.ts';
import { claimDirectory } from '../storage/lmdb/claim.ts';
import { openStore, type Store } from '../storage/store.ts';
import { markerFileOf } from '../storage/store-identity.ts';
import { withCluster } from './cluster-session.ts';
import { CommandFailure } from './command-failure.ts';

export interface LeftCluster {
  readonly storeId: string;
  /** Of the newest change, which the directory has. */
  readonly position: number;
}

/**
 * Makes a replica a store of its own. The steps, each durable before the next: the directory has the newest state, the cluster
 * is closed, the directory is no longer a replica. After a crash between them, the repeated command continues.
 * @throws StoreError, CommandFailure, ConnectError
 */
export async function leaveCluster(config: Config, isForced: boolean): Promise<LeftCluster> {
  const { dataDir: directory, mapBytes } = config;
  if (!existsSync(markerFileOf(directory)))
    throw new CommandFailure(`There is no store in ${directory}. Name the right directory with --data-dir.`);
  const claim = claimDirectory(directory);
  try {
    const store = openStore({ directory, mapBytes, replica: { storeId: null } });
    try {
      return await withCluster(config, 'leave', (connection) =>
        leave(connection, store, directory, isForced),
      );
    } finally {
      await store.close();
    }
  } finally {
    claim.release();
  }
}

async function leave(
  connection: SqlConnection,
  store: Store,
  directory: string,
  isForced: boolean,
): Promise<LeftCluster> {
  const { id: storeId } = store;
  const head = await readClusterHead(connection);
  if (head.store !== storeId)
    throw new CommandFailure(`${directory} holds store ${storeId}, and the cluster has store ${head.store}.`);
  const replica = store.asReplica('leave');
  if (replica.place.position === 0) {
    if (head.closedAt !== null) return { storeId, position: head.position };
    throw new CommandFailure(`${directory} is not a replica of a cluster: there is nothing to leave.`);
  }
  try {
    await closeAtReplica(connection, replica, isForced);
  } catch (fault) {
    throw fault instanceof NodesRunError ? nodesRun(fault) : fault;
  }
  const { position } = replica.place;
  replica.end();
  return { storeId, position };
}

function nodesRun({ nodes }: NodesRunError): CommandFailure {
  return new CommandFailure(
    'Nodes hold leases, or were killed a moment ago. Stop them; or close the cluster under them with --force: they stay detached.',
    nodes.map(
      ({ id, label, renewedMsAgo }) => `${id} (${label}), renewed ${(renewedMsAgo / 1000).toFixed(1)} s ago`,
    ),
  );
}
