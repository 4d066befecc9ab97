import { findDatabase, type Root } from '../lmdb/environment.ts';
import { StoreError } from '../store-error.ts';
import { metaKeys, type StoreIdentity } from '../tables/meta.ts';

/**
 * Only the log of its cluster may write to a replica, and no cluster may write to a store that is served alone.
 * @throws StoreError
 */
export function requireOwnMode(
  root: Root,
  { id }: StoreIdentity,
  directory: string,
  replica: { readonly storeId: string | null } | undefined,
): void {
  const meta = findDatabase(root, 'meta');
  const isReplica = meta?.get(metaKeys.replica) !== undefined;
  root.resetReadTxn();
  if (replica === undefined && isReplica) throw new StoreError(replicaAlone(directory));
  if (replica === undefined || replica.storeId === null || replica.storeId === id) return;
  throw new StoreError(
    `${directory} holds store ${id}, and the cluster has store ${replica.storeId}. Give the node a directory of its own ` +
      'with --data-dir, or make a cluster of this store with `burgee cluster create`.',
  );
}

function replicaAlone(directory: string): string {
  return (
    `${directory} is the replica of a cluster's node: what is changed here alone would be lost. Serve it with ` +
    'BURGEE_CLUSTER_URL, and change it through a node that runs; or take it out of the cluster with `burgee cluster leave`.'
  );
}
