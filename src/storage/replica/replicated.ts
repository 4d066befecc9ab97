import { type DatabaseName, databaseNames } from '../keys.ts';
import { metaKeys } from '../tables/meta.ts';

/**
 * Databases that each node keeps for itself. Evaluation counts are merged by addition. The change log has what the
 * workers of this node drop from their caches, which depends on the node's past.
 */
const nodeLocal: ReadonlySet<DatabaseName> = new Set(['change-log', 'evaluation-counts']);

/** Metadata of a node, which is not replicated. */
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
