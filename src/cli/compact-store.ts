import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { completeCopy, readManifest } from '../storage/backup/backup-manifest.ts';
import { beginDirectory } from '../storage/backup/partial-directory.ts';
import { replaceDataFile } from '../storage/backup/replace-data-file.ts';
import { claimDirectory } from '../storage/lmdb/claim.ts';
import { dataFileOf } from '../storage/lmdb/environment.ts';
import { CommandFailure } from './command-failure.ts';
import { copyDataFile } from './copy-process.ts';
import type { ProgressLine } from './progress-line.ts';
import { verify } from './take-backup.ts';

export interface CompactedStore {
  /** Bytes of the data file. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Entries of each database. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The copy is made in the data directory, so on the same file system: a rename can replace the old file. */
const copyName = 'compacted';
const ending = '.partial';
/** The store is claimed, so nothing grows while the copy is made. */
const timeLimitMs = 24 * 60 * 60 * 1000;

/**
 * Copies a store to a new data file without its free pages, verifies the copy, and renames it over the old file. Killed
 * at any moment, it leaves the old file or the new one, and at most `compacted.partial` next to it.
 *
 * @throws CommandFailure or StoreError, and leaves the store as it was
 */
export async function compactStore(directory: string, progress: ProgressLine): Promise<CompactedStore> {
  requireStore(directory);
  const claim = claimDirectory(directory);
  try {
    const partial = beginDirectory(join(directory, copyName), ending);
    try {
      const copy = dataFileOf(partial.path);
      const onProgress = (done: number, bytes: number): void => progress.reportCopied(done, bytes);
      const identity = await copyDataFile({ directory, file: copy, timeLimitMs, onProgress });
      const { bytes: bytesAfter } = completeCopy(partial.path, identity, Date.now());
      progress.report(() => 'verifying');
      const counts = await verify(partial.path);
      const bytesBefore = statSync(dataFileOf(directory)).size;
      replaceDataFile(directory, copy);
      return { bytesBefore, bytesAfter, counts };
    } finally {
      progress.end();
      partial.abandon();
    }
  } finally {
    claim.release();
  }
}

/** Called before anything is created in the directory. */
function requireStore(directory: string): void {
  if (readManifest(directory) !== null) {
    throw new CommandFailure(`${directory} is a backup: it has no free pages, and stays as it is.`);
  }
  if (existsSync(dataFileOf(directory))) return;
  throw new CommandFailure(`There is no store in ${directory}: nothing to compact.`);
}
