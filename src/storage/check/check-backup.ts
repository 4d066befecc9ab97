import { readManifest } from '../backup/backup-manifest.ts';
import { checksumOf } from '../backup/file-checksum.ts';
import { dataFileOf } from '../environment.ts';
import type { Finding } from './finding.ts';

/** The data file of a backup is byte for byte the one that its manifest was written for: a restore takes no other. */
export function* checkBackup(directory: string): Generator<Finding> {
  const manifest = readManifest(directory);
  if (manifest === null) return;
  const { bytes, sha256 } = checksumOf(dataFileOf(directory));
  if (bytes === manifest.bytes && sha256 === manifest.sha256) return;
  yield { where: 'backup.json', what: 'the data file is not the one that was backed up' };
}
