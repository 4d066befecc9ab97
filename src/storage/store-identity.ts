import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isIdShaped } from '../support/id-shape.ts';
import {
  createDatabase,
  type Database,
  dataFileOf,
  findDatabase,
  isEmpty,
  type Root,
} from './lmdb/environment.ts';
import { syncDirectory } from './store-directory.ts';
import { DamagedRecordError, DamagedStoreError, StoreError } from './store-error.ts';
import { identityRecord, metaKeys, type StoreIdentity, storeFormat } from './tables/meta.ts';

/**
 * `store.json` shows that a store was completed in this directory, and which one. Without it, a lost data file would
 * look like a new installation, and the server would start empty.
 */
export function markerFileOf(directory: string): string {
  return join(directory, 'store.json');
}

/** @returns null when there is none. @throws StoreError when it cannot be understood or has another store format */
export function readMarker(directory: string): StoreIdentity | null {
  const path = markerFileOf(directory);
  const text = readIfPresent(path);
  if (text === null) return null;
  const identity = parseMarker(text);
  if (identity === null) {
    throw new DamagedStoreError(
      `${path} is damaged. If burgee.mdb next to it is whole, delete store.json and start again: it is written anew. ` +
        'Otherwise restore both from a backup.',
    );
  }
  requireFormat(identity, path);
  return identity;
}

/** @throws StoreError on a store of another format */
export function requireFormat({ format }: StoreIdentity, path: string): void {
  if (format === storeFormat) return;
  throw new StoreError(
    `${path} has store format ${format}; this version of Burgee reads and writes format ${storeFormat} only. Use the ` +
      'version of Burgee that wrote it, or restore a backup that this version made.',
  );
}

/**
 * The history that the store had when it was served here last. A copy of the data file alone does not have it, so a
 * restored store begins another history.
 * @returns null where there is none
 */
export function readMarkedHistory(directory: string): string | null {
  const text = readIfPresent(markerFileOf(directory));
  if (text === null) return null;
  const { history } = JSON.parse(text) as { history?: unknown };
  return typeof history === 'string' ? history : null;
}

/**
 * On disk when it returns: the file, the rename and the directory entry (of the data file too).
 * @param history null: the next process that serves the store begins another
 */
export function writeMarker(directory: string, identity: StoreIdentity, history: string | null = null): void {
  const path = markerFileOf(directory);
  const temporary = `${path}.new`;
  const named = history === null ? {} : { history };
  const text = `${JSON.stringify({ storeId: identity.id, format: identity.format, ...named })}\n`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, path);
  syncDirectory(directory);
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StoreError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function parseMarker(text: string): StoreIdentity | null {
  try {
    const { storeId, format } = JSON.parse(text) as { storeId?: unknown; format?: unknown };
    if (typeof storeId !== 'string' || !isIdShaped(storeId)) return null;
    if (typeof format !== 'number' || !Number.isInteger(format) || format < 1) return null;
    return { id: storeId, format };
  } catch {
    return null;
  }
}

/**
 * Identifies the store of a data file.
 * @returns null for a new one: without a marker, and with at most the first, still empty database of a creation.
 * @throws StoreError when it is another program's, of another store than the marker, of another format, or damaged.
 */
export function identify(root: Root, directory: string, marker: StoreIdentity | null): StoreIdentity | null {
  const path = dataFileOf(directory);
  const meta = findDatabase(root, 'meta');
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
  requireFormat(identity, path);
  requireSame(identity, marker, path);
  return identity;
}

function requireSame(identity: StoreIdentity, marker: StoreIdentity | null, path: string): void {
  if (marker === null || marker.id === identity.id) return;
  throw new StoreError(
    `${path} is of store ${identity.id}, but store.json next to it is of store ${marker.id}. Put the two of one store ` +
      'together: restore both from the same backup, or, if burgee.mdb is the right one, delete store.json.',
  );
}

function readIdentity(meta: Database, path: string): StoreIdentity | null {
  const bytes = meta.get(metaKeys.store);
  if (bytes === undefined) return null;
  try {
    return identityRecord.decode(metaKeys.store, bytes);
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    throw new DamagedStoreError(
      `${path} is damaged: ${error.message}. Restore the directory from a backup.`,
      {
        cause: error,
      },
    );
  }
}

function isNew(root: Root, meta: Database | undefined): boolean {
  const names = Array.from(root.getKeys({ limit: 2 }), (name) => name.toString('latin1'));
  if (meta === undefined) return names.length === 0;
  return names.length === 1 && isEmpty(meta);
}

/** Makes a new store's identity, in the data file. @param id its own, or that of the cluster's store */
export function createIdentity(root: Root, id: string): StoreIdentity {
  const identity = { id, format: storeFormat };
  const meta = createDatabase(root, 'meta');
  root.transactionSync(() => {
    meta.putSync(metaKeys.store, identityRecord.encode(metaKeys.store, identity));
  });
  return identity;
}
