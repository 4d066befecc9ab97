import { newId } from '../support/random-id.ts';
import type { Databases, Root } from './lmdb/environment.ts';
import { DamagedRecordError } from './store-error.ts';
import { historyRecord, metaKeys } from './tables/meta.ts';

/**
 * Makes sure that a store that is served alone has a history, and that it is its own: after `burgee restore`, after its data
 * file was copied to another directory, and after it was part of a cluster, it begins a new one. A snapshot of the whole disk
 * holds the mark as well and looks like a restart, so the operator who restores one deletes `store.json`. A crash at any
 * point leaves the old history or a new one.
 * @param marked the history noted in `store.json` when the store was served last
 * @returns the history, to be noted there
 */
export function keepHistory(root: Root, { meta }: Databases, marked: string | null): string {
  const stored = meta.get(metaKeys.history);
  root.resetReadTxn();
  const known = stored === undefined ? null : readHistory(stored);
  if (known !== null && known === marked) return known;
  const history = newId();
  root.transactionSync(() => {
    meta.putSync(metaKeys.history, historyRecord.encode(metaKeys.history, history));
  });
  return history;
}

function readHistory(bytes: Buffer): string | null {
  try {
    return historyRecord.decode(metaKeys.history, bytes);
  } catch (error) {
    if (error instanceof DamagedRecordError) return null;
    throw error;
  }
}
