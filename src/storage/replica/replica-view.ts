import { readingMapBytesOf } from '../lmdb/environment.ts';
import { RecordSource } from '../record-source.ts';
import { Snapshots } from '../snapshots.ts';
import { openForReading } from '../store-opening.ts';
import { metaKeys, type ReplicaPlace, replicaPlaceRecord } from '../tables/meta.ts';
import { type StateEntry, stateOf } from './state.ts';

/** A store on one snapshot, whether or not a node serves it. */
export interface ReplicaView {
  readonly storeId: string;
  /** The snapshot's position in the log of its cluster; null: the store follows none. */
  readonly place: ReplicaPlace | null;
  /** In the order of databases and keys. May be called once. */
  state(): Iterable<StateEntry>;
  close(): Promise<void>;
}

/** @throws StoreError */
export function openReplicaView(directory: string): ReplicaView {
  const opened = openForReading({ directory, mapBytes: readingMapBytesOf(directory) });
  const snapshots = new Snapshots(opened.root);
  const { source } = new RecordSource(opened.databases, snapshots).pin();
  return {
    storeId: opened.identity.id,
    place: source.find(replicaPlaceRecord, metaKeys.replica) ?? null,
    state: () => stateOf(source),
    close() {
      snapshots.close();
      return opened.close();
    },
  };
}
