import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BackupManifest, completeCopy, writeManifest } from '../storage/backup/backup-manifest.ts';
import { beginDirectory, isVacant } from '../storage/backup/partial-directory.ts';
import { dataFileOf } from '../storage/lmdb/environment.ts';
import { dropLockFile } from '../storage/lmdb/lock-file.ts';
import { openReplicaView } from '../storage/replica/replica-view.ts';
import { CommandFailure, DamageFound } from './command-failure.ts';
import { copyDataFile } from './copy-process.ts';
import type { ProgressLine } from './progress-line.ts';
import { walkStore } from './walk-store.ts';

export interface TakenBackup extends BackupManifest {
  /** Entries of each database. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The temporary name of a backup in the making. */
const ending = '.partial';

/**
 * Backs a store up to a new directory: copies one snapshot, verifies the copy, and renames it last.
 * @throws CommandFailure or StoreError, and leaves nothing behind.
 */
export async function takeBackup(
  directory: string,
  target: string,
  timeLimitMs: number,
  progress: ProgressLine,
): Promise<TakenBackup> {
  requireVacant(target);
  const takenAt = Date.now();
  const partial = beginDirectory(target, ending);
  try {
    const file = dataFileOf(partial.path);
    const onProgress = (done: number, bytes: number): void => progress.reportCopied(done, bytes);
    const identity = await copyDataFile({ directory, file, timeLimitMs, onProgress });
    const copied = completeCopy(partial.path, identity, takenAt);
    progress.report(() => 'verifying');
    const counts = await verify(partial.path);
    const manifest = await withPlace(partial.path, copied);
    writeManifest(partial.path, manifest);
    partial.finish();
    return { ...manifest, counts };
  } finally {
    progress.end();
    partial.abandon();
  }
}

/** It is read after the check of the copy, because a damaged page can end the process that reads it. */
async function withPlace(directory: string, manifest: BackupManifest): Promise<BackupManifest> {
  const view = openReplicaView(directory);
  const { place } = view;
  await view.close();
  dropLockFile(directory);
  if (place === null) return manifest;
  const checksum = Buffer.from(place.checksum).toString('hex');
  return { ...manifest, replica: { position: place.position, checksum } };
}

export function requireVacant(target: string): void {
  if (isVacant(target)) return;
  const what = lstatSync(target).isDirectory() ? 'is not empty' : 'already exists';
  throw new CommandFailure(`${resolve(target)} ${what}. Name a new directory.`);
}

/** Reads every record of a copy. @throws {CommandFailure} when one is damaged, or they cannot be read. */
export async function verify(directory: string): Promise<Readonly<Record<string, number>>> {
  const { isClean, counts, findings } = await walkStore(directory);
  dropLockFile(directory);
  if (isClean && counts !== null) return counts;
  throw new DamageFound(
    'The copy is damaged, so it was not kept. Run `burgee check` on the store.',
    findings.slice(0, 10),
  );
}
