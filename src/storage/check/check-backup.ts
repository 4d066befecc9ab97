import { existsSync } from 'node:fs';
import { readManifest } from '../backup/backup-manifest.ts';
import { checksumOf } from '../backup/file-checksum.ts';
import { dataFileOf } from '../environment.ts';
import { StoreError } from '../store-error.ts';
import type { Finding } from './finding.ts';

const where = 'backup.json';

/**
 * The data file of a backup is byte for byte the one that its manifest was written for: a restore takes no other. Looked
 * at before it is opened, which a damaged page may end.
 */
export function* checkBackup(directory: string): Generator<Finding> {
  try {
    const manifest = readManifest(directory);
    // Without a data file there is nothing to open either, which says so.
    if (manifest === null || !existsSync(dataFileOf(directory))) return;
    const { bytes, sha256 } = checksumOf(dataFileOf(directory));
    if (bytes === manifest.bytes && sha256 === manifest.sha256) return;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    yield { where, what: error.message };
    return;
  }
  yield { where, what: 'the data file is not the one that was backed up' };
}
