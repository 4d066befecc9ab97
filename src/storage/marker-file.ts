import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isIdShaped } from '../support/id-shape.ts';
import { type StoreIdentity, storeFormat } from './records/identity-record.ts';
import { syncDirectory } from './store-directory.ts';
import { StoreError } from './store-error.ts';

/**
 * `store.json` says that a store was completed in this directory, and which. Without it, a data file that is lost would
 * look like a new installation, and the server would start with nothing.
 */
export function markerFileOf(directory: string): string {
  return join(directory, 'store.json');
}

/**
 * @param knownFormat the newest that the caller understands.
 * @returns null when there is none. @throws StoreError when it cannot be understood or is of a newer Burgee.
 */
export function readMarker(directory: string, knownFormat: number = storeFormat): StoreIdentity | null {
  const path = markerFileOf(directory);
  const text = readIfPresent(path);
  if (text === null) return null;
  const identity = parseMarker(text);
  if (identity === null) {
    throw new StoreError(
      `${path} is damaged. If burgee.mdb beside it is whole, delete store.json and start again: it is written anew. ` +
        'Otherwise restore both from a backup.',
    );
  }
  requireKnownFormat(identity, path, knownFormat);
  return identity;
}

/** @throws StoreError on a store that a newer version of Burgee has written. */
export function requireKnownFormat(
  { format }: StoreIdentity,
  path: string,
  knownFormat: number = storeFormat,
): void {
  if (format <= knownFormat) return;
  throw new StoreError(
    `${path} has store format ${format}; this version of Burgee knows formats up to ${knownFormat}. Upgrade Burgee, or ` +
      'restore a backup that this version made.',
  );
}

/** On disk when it returns: file, rename and directory entry (of the data file too). */
export function writeMarker(directory: string, identity: StoreIdentity): void {
  const path = markerFileOf(directory);
  const temporary = `${path}.new`;
  const text = `${JSON.stringify({ storeId: identity.id, format: identity.format })}\n`;
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
