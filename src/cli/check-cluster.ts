import { type ClusterCheck, checkCluster } from '../cluster/upkeep/check-cluster.ts';
import type { Config } from '../config/config.ts';
import { openReplicaView } from '../storage/replica/replica-view.ts';
import { withCluster } from './cluster-session.ts';
import { type CheckReport, walkStore } from './walk-store.ts';

export interface ClusterReport {
  readonly cluster: ClusterCheck;
  /** The findings of `burgee check` in the directory; null without a directory. */
  readonly store: CheckReport | null;
}

/**
 * @param directory of a replica, which is compared with the cluster if its pages and records are sound: a damaged page can end
 * the process that reads it
 * @throws StoreError, CommandFailure
 */
export async function checkWithReplica(config: Config, directory: string | null): Promise<ClusterReport> {
  const store = directory === null ? null : await walkStore(directory);
  const isReadable = directory !== null && store?.isClean === true;
  const cluster = await withCluster(config, 'check', async (connection) => {
    const replica = isReadable ? openReplicaView(directory) : null;
    try {
      return await checkCluster(connection, replica);
    } finally {
      await replica?.close();
    }
  });
  return { cluster, store };
}
