import { type DatabaseName, databaseNames } from '../keys.ts';
import { metaKeys } from '../tables/meta.ts';

/**
 * What each node counts, or keeps, for itself: sums are merged by addition, and what followers drop from their caches
 * depends on what the node has done before.
 */
const nodeLocal: ReadonlySet<DatabaseName> = new Set(['change-log', 'evaluation-counts']);

/** Which store this is, how far its change log goes, where the node stands in the cluster's log and what it owes to that, and what it counts as. */
const nodeLocalMeta = [
  metaKeys.store,
  metaKeys.changeLog,
  metaKeys.replica,
  metaKeys.anotherPast,
  metaKeys.usage,
];

/** Databases whose entries are the same on all nodes; of `meta`, all but a few keys (`isReplicated`). */
export const replicatedDatabases: readonly DatabaseName[] = databaseNames.filter(
  (name) => !nodeLocal.has(name),
);

/** Whether an entry is the same on all nodes at the same position. */
export function isReplicated(database: DatabaseName, key: Buffer): boolean {
  if (database === 'meta') return !nodeLocalMeta.some((own) => own.equals(key));
  return !nodeLocal.has(database);
}
