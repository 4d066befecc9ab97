import { chmodSync, constants, existsSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type BackupManifest,
  completeCopy,
  identityIn,
  manifestFileOf,
  readManifest,
} from '../storage/backup/backup-manifest.ts';
import { beginRestore } from '../storage/backup/restored-directory.ts';
import { dataFileOf, readingMapBytesOf } from '../storage/lmdb/environment.ts';
import { dropLockFile } from '../storage/lmdb/lock-file.ts';
import { openStore } from '../storage/store.ts';
import { requireFormat } from '../storage/store-identity.ts';
import { CommandFailure, DamageFound } from './command-failure.ts';
import type { ProgressLine } from './progress-line.ts';
import { verify } from './take-backup.ts';

export interface RestoredBackup extends BackupManifest {
  /** Path to which the earlier store was moved; null when there was none. */
  readonly movedAside: string | null;
}

const lookIntervalMs = 100;

/**
 * Makes a data directory from a backup: copies it next to the final path, verifies the copy, and renames it last.
 * @param mayMoveAside whether an existing store is moved aside.
 * @throws CommandFailure or StoreError, and leaves everything as it was.
 */
export async function restoreBackup(
  source: string,
  target: string,
  mayMoveAside: boolean,
  progress: ProgressLine,
): Promise<RestoredBackup> {
  const manifest = manifestOf(source);
  const restored = beginRestore(target, mayMoveAside);
  try {
    await copyVerified(source, restored.partial.path, manifest, progress);
    if (manifest.replica !== undefined) await endReplica(restored.partial.path);
    return { ...manifest, movedAside: restored.finish() };
  } finally {
    progress.end();
    restored.end();
  }
}

function manifestOf(source: string): BackupManifest {
  const manifest = readManifest(source);
  if (manifest === null) {
    const what = existsSync(dataFileOf(source))
      ? 'a data directory, or a backup that was never finished'
      : '';
    throw new CommandFailure(
      `${resolve(source)} is not a backup: it has no backup.json.${what === '' ? '' : ` It is ${what}.`}`,
    );
  }
  requireFormat(identityIn(manifest), manifestFileOf(source));
  return manifest;
}

async function copyVerified(
  source: string,
  partial: string,
  manifest: BackupManifest,
  progress: ProgressLine,
): Promise<void> {
  const copiedBytes = await copyDataFile(dataFileOf(source), dataFileOf(partial), progress);
  if (copiedBytes !== manifest.bytes) throw damagedBackup(source);
  const { bytes, sha256 } = completeCopy(partial, identityIn(manifest), manifest.takenAt);
  if (bytes !== manifest.bytes || sha256 !== manifest.sha256) throw damagedBackup(source);
  progress.report(() => 'verifying');
  await verify(partial);
}

function damagedBackup(source: string): DamageFound {
  return new DamageFound(
    `The backup ${resolve(source)} is damaged: its data file is not the one that was backed up. Use another backup.`,
  );
}

/**
 * A restored replica is older than its cluster, so it must not follow it. It becomes an independent store, which can be
 * served alone or begin a new cluster.
 */
async function endReplica(directory: string): Promise<void> {
  const mapBytes = readingMapBytesOf(directory);
  const store = openStore({ directory, mapBytes, replica: { storeId: null } });
  store.asReplica('restore').end();
  await store.close();
  dropLockFile(directory);
}

/** @returns the size of the file */
async function copyDataFile(from: string, to: string, progress: ProgressLine): Promise<number> {
  const bytes = statSync(from, { throwIfNoEntry: false })?.size;
  if (bytes === undefined)
    throw new DamageFound(`The backup is damaged: ${from} is missing. Use another backup.`);
  const look = (): void => {
    const done = statSync(to, { throwIfNoEntry: false })?.size ?? 0;
    progress.reportCopied(done, bytes);
  };
  const looks = setInterval(look, lookIntervalMs);
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    chmodSync(to, 0o600);
    return bytes;
  } finally {
    clearInterval(looks);
  }
}
