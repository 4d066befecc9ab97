import { DamagedRecordError } from './damaged-record-error.ts';
import { dataFileOf, findTable, type Root, type Table } from './environment.ts';
import { metaKeys } from './keys/key-parts.ts';
import { requireKnownFormat } from './marker-file.ts';
import { identityRecord, type StoreIdentity, storeFormat } from './records/identity-record.ts';
import { StoreError } from './store-error.ts';

/**
 * Whose data file this is.
 * @param knownFormat the newest that the caller understands.
 * @returns null when it is new: no marker, and at most the first, still empty table that a creation makes.
 * @throws StoreError when it is another program's, another store's than the marker says, of a newer format, or damaged.
 */
export function identify(
  root: Root,
  directory: string,
  marker: StoreIdentity | null,
  knownFormat: number = storeFormat,
): StoreIdentity | null {
  const path = dataFileOf(directory);
  const meta = findTable(root, 'meta');
  const identity = meta === undefined ? null : readIdentity(meta, path);
  if (identity === null) {
    if (marker === null && isNew(root, meta)) return null;
    throw new StoreError(
      `${path} is an LMDB file that Burgee did not write, and nothing was changed in it. ` +
        (marker === null
          ? 'Move it away, or choose another directory.'
          : 'Restore the directory from a backup.'),
    );
  }
  requireKnownFormat(identity, path, knownFormat);
  requireSame(identity, marker, path);
  return identity;
}

function requireSame(identity: StoreIdentity, marker: StoreIdentity | null, path: string): void {
  if (marker === null || marker.id === identity.id) return;
  throw new StoreError(
    `${path} is of store ${identity.id}, but store.json beside it is of store ${marker.id}. Put the two of one store ` +
      'together: restore both from the same backup, or, if burgee.mdb is the right one, delete store.json.',
  );
}

function readIdentity(meta: Table, path: string): StoreIdentity | null {
  const bytes = meta.get(metaKeys.store);
  if (bytes === undefined) return null;
  try {
    return identityRecord.decode(metaKeys.store, bytes);
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    throw new StoreError(`${path} is damaged: ${error.message}. Restore the directory from a backup.`, {
      cause: error,
    });
  }
}

function isNew(root: Root, meta: Table | undefined): boolean {
  const names = Array.from(root.getKeys({ limit: 2 }), (name) => name.toString('latin1'));
  if (meta === undefined) return names.length === 0;
  return names.length === 1 && meta.getKeysCount({ limit: 1 }) === 0;
}
