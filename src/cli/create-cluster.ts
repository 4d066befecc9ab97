import { parseClusterUrl } from '../cluster/sql/cluster-url.ts';
import { connectToPrimary } from '../cluster/sql/connect.ts';
import { createClusterOf } from '../cluster/upkeep/create-cluster.ts';
import type { Config } from '../config/config.ts';
import { claimDirectory } from '../storage/lmdb/claim.ts';
import { openStore } from '../storage/store.ts';
import { createDirectory } from '../storage/store-directory.ts';
import { newId } from '../support/random-id.ts';
import { createFirstOrganisation } from '../writer/thread/commands/create-first-organisation.ts';

export interface CreateOptions
  extends Pick<Config, 'dataDir' | 'mapBytes' | 'clusterPasswordFile' | 'clusterSchema'> {
  readonly clusterUrl: string;
}

export interface CreatedSummary {
  readonly storeId: string;
  readonly records: number;
  readonly bytes: number;
}

/**
 * Uploads the store of a directory, and marks the directory as a node's. The upload is one transaction: cut off before its
 * end, there is no cluster, and the directory is what it was.
 * @throws StoreError, ClusterExistsError, ClusterUrlError, ConnectError
 */
export async function makeCluster(options: CreateOptions): Promise<CreatedSummary> {
  const { dataDir: directory, mapBytes, clusterUrl, clusterPasswordFile, clusterSchema: schema } = options;
  const url = parseClusterUrl(clusterUrl, clusterPasswordFile);
  createDirectory(directory);
  const claim = claimDirectory(directory);
  try {
    const connection = await connectToPrimary({ url, schema, node: 'create' });
    try {
      const store = openStore({ directory, mapBytes });
      try {
        if (store.isEmpty()) {
          const changes = createFirstOrganisation({ now: Date.now(), newId });
          store.write(({ apply }) => apply(changes));
        }
        const replica = store.asReplica('create');
        const { place, records, bytes } = await replica.reading((state) =>
          createClusterOf(connection, store.id, state),
        );
        replica.begin(place);
        return { storeId: store.id, records, bytes };
      } finally {
        await store.close();
      }
    } finally {
      await connection.end();
    }
  } finally {
    claim.release();
  }
}
