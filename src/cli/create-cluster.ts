import type { SqlConnection } from '../cluster/sql/connection.ts';
import { ClusterExistsError } from '../cluster/sql/record-statements.ts';
import {
  type CreatedCluster,
  createClusterOf,
  findCreated,
  refuseExisting,
} from '../cluster/upkeep/create-cluster.ts';
import type { Config } from '../config/config.ts';
import { claimDirectory } from '../storage/lmdb/claim.ts';
import type { Replica } from '../storage/replica/replica.ts';
import type { StateEntry } from '../storage/replica/state.ts';
import { openStore, type Store } from '../storage/store.ts';
import { createDirectory } from '../storage/store-directory.ts';
import { metaKeys } from '../storage/tables/meta.ts';
import { newId } from '../support/random-id.ts';
import { createFirstOrganisation } from '../writer/thread/commands/create-first-organisation.ts';
import { withCluster } from './cluster-session.ts';
import { CommandFailure } from './command-failure.ts';
import type { ProgressLine } from './progress-line.ts';

export interface CreatedSummary {
  readonly storeId: string;
  readonly records: number;
  readonly bytes: number;
}

/**
 * Uploads the store of a directory, and marks the directory as a node's. The upload is one transaction: cut off before its
 * end, there is no cluster, and the directory is what it was. Cut off before the mark, the command completes it when repeated.
 * @param mayReplace takes the place of the cluster of the same store, whose nodes are stopped
 * @throws StoreError, ClusterExistsError, ClusterUrlError, ConnectError
 */
export async function makeCluster(
  config: Config,
  mayReplace: boolean,
  progress: ProgressLine,
): Promise<CreatedSummary> {
  const { dataDir: directory, mapBytes } = config;
  return await withCluster(config, 'create', async (connection) => {
    createDirectory(directory);
    const claim = claimDirectory(directory);
    try {
      const store = openStore({ directory, mapBytes, replica: { storeId: null } });
      try {
        const { records, bytes } = await upload(connection, store, directory, mayReplace, progress);
        return { storeId: store.id, records, bytes };
      } finally {
        progress.end();
        await store.close();
      }
    } finally {
      claim.release();
    }
  });
}

async function upload(
  connection: SqlConnection,
  store: Store,
  directory: string,
  mayReplace: boolean,
  progress: ProgressLine,
): Promise<CreatedCluster> {
  const replica = store.asReplica('create');
  const isReplica = replica.place.position !== 0;
  if (isReplica && !mayReplace) throw new CommandFailure(replicaAlready(directory));
  if (store.isEmpty()) {
    const changes = createFirstOrganisation({ now: Date.now(), newId });
    store.write(({ apply }) => apply(changes));
  }
  const created = await createOrFind(connection, store.id, replica, mayReplace, progress);
  if (isReplica) replica.end();
  replica.begin(created.place);
  return created;
}

async function createOrFind(
  connection: SqlConnection,
  store: string,
  replica: Replica,
  mayReplace: boolean,
  progress: ProgressLine,
): Promise<CreatedCluster> {
  try {
    return await replica.reading((state) =>
      createClusterOf(connection, { store, mayReplace }, counted(state, 'uploaded', progress)),
    );
  } catch (fault) {
    if (!(fault instanceof ClusterExistsError)) throw fault;
    const found = await replica.reading((state) =>
      findCreated(connection, store, counted(state, 'compared', progress)),
    );
    return found ?? (await refuseExisting(connection, store));
  }
}

function* counted(state: Iterable<StateEntry>, verb: string, progress: ProgressLine): Generator<StateEntry> {
  let count = 0;
  for (const entry of state) {
    // A cluster has a history of its own, even if it is created again from an older directory.
    if (entry.database === 'meta' && entry.key.equals(metaKeys.history)) continue;
    count += 1;
    progress.report(() => `${verb} ${count.toLocaleString('en')} records`);
    yield entry;
  }
}

function replicaAlready(directory: string): string {
  return (
    `${directory} is the replica of a cluster's node already. To make a new cluster of what it holds in place of the old one, ` +
    'stop all nodes and add --replace; it must have all that the old one has: see `burgee cluster check`.'
  );
}
