import { closeSync, fsyncSync, openSync } from 'node:fs';
import { commitIn } from '../data-file.ts';
import { dataFileOf } from '../environment.ts';
import { writeMarker } from '../marker-file.ts';
import type { StoreIdentity } from '../records/identity-record.ts';
import { StoreError } from '../store-error.ts';
import type { BackupManifest } from './backup-manifest.ts';
import { checksumOf } from './file-checksum.ts';

/**
 * Puts a copied data file on disk with the marker of its store.
 * @param takenAt before the copy began.
 * @returns what its manifest will say.
 */
export function completeCopy(directory: string, identity: StoreIdentity, takenAt: number): BackupManifest {
  const path = dataFileOf(directory);
  syncFile(path);
  writeMarker(directory, identity);
  const commit = commitIn(path);
  if (commit === null) throw new StoreError(`${path} is not a data file: the copy failed. Try again.`);
  return { storeId: identity.id, format: identity.format, takenAt, ...checksumOf(path), commit };
}

export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
