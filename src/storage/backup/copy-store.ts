import { chmodSync } from 'node:fs';
import { readingMapBytesOf } from '../lmdb/environment.ts';
import { openForReading } from '../store-opening.ts';
import { pageUseOf } from '../store-statistics.ts';
import type { StoreIdentity } from '../tables/meta.ts';

/** The store of a copy, and the size of the copy. */
export interface CopyPlan {
  readonly identity: StoreIdentity;
  /** Approximate: the server may write until the copy's snapshot begins. */
  readonly bytes: number;
}

/**
 * Copies a store's newest commit to a new file, without free pages. The copy is made from one snapshot, so later
 * changes are not in it. Run it in a process of its own: a damaged page can end the process that reads it.
 *
 * @param onPlan called before the copy begins.
 * @throws StoreError when there is no store; Error of lmdb when the copy cannot be written.
 */
export async function copyStore(
  directory: string,
  file: string,
  onPlan: (plan: CopyPlan) => void,
): Promise<void> {
  const opened = openForReading({ directory, mapBytes: readingMapBytesOf(directory) });
  const { root, databases, identity } = opened;
  try {
    const { pageBytes, usedPages } = pageUseOf(root, databases);
    onPlan({ identity, bytes: usedPages * pageBytes });
    await root.backup(file, true);
    chmodSync(file, 0o600);
  } finally {
    await opened.close();
  }
}
