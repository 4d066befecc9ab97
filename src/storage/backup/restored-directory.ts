import { existsSync, readlinkSync, realpathSync, renameSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { claimDirectory, claimFileOf } from '../lmdb/claim.ts';
import { dataFileOf } from '../lmdb/environment.ts';
import { syncDirectory } from '../store-directory.ts';
import { StoreError } from '../store-error.ts';
import { markerFileOf } from '../store-identity.ts';
import { manifestFileOf } from './backup-manifest.ts';
import { beginDirectory, isVacant, type PartialDirectory } from './partial-directory.ts';

/** @returns a time in a form that every file system accepts in a name: `20261121T094704123Z`. */
function timeInName(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '');
}

/**
 * The temporary name of a data directory that is being restored. If it exists next to a data directory without a store,
 * a restore was interrupted, and no empty store may be created there.
 */
const ending = '.restoring';

export function isHalfRestored(directory: string): boolean {
  return existsSync(`${placeOf(directory)}${ending}`);
}

/** The directory behind a symbolic link; it need not exist. The link stays, so that a store stays on its disk. */
function placeOf(directory: string): string {
  const path = resolve(directory);
  if (existsSync(path)) return realpathSync(path);
  const linked = linkedFrom(path);
  return linked === null ? path : resolve(dirname(path), linked);
}

/** @returns the target of a link that leads to nothing, as it does while a restore exchanges directories */
function linkedFrom(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** A data directory that is being restored into; claimed if it exists. */
export interface RestoredDirectory {
  readonly partial: PartialDirectory;
  /** Renames the restored directory to its place. @returns the new path of the old one; null when there was none. */
  finish(): string | null;
  /** Releases the claim, and removes what was not finished. */
  end(): void;
}

/**
 * @param mayMoveAside an existing store is moved; nothing is ever removed.
 * @throws StoreError when the directory is in use, or has something that may not be moved.
 */
export function beginRestore(directory: string, mayMoveAside: boolean): RestoredDirectory {
  const target = placeOf(directory);
  const isInTheWay = !isVacant(target);
  if (isInTheWay) requireMovable(target, mayMoveAside);
  const claim = existsSync(target) ? claimDirectory(target) : null;
  try {
    const partial = beginDirectory(target, ending);
    return {
      partial,
      finish: () => (isInTheWay ? replace(partial, target) : place(partial)),
      end() {
        partial.abandon();
        claim?.release();
      },
    };
  } catch (error) {
    claim?.release();
    throw error;
  }
}

function place(partial: PartialDirectory): null {
  partial.finish();
  return null;
}

function replace(partial: PartialDirectory, target: string): string {
  const aside = `${target}.before-restore-${timeInName(Date.now())}`;
  renameSync(target, aside);
  try {
    partial.finish();
  } catch (error) {
    if (!existsSync(target)) renameSync(aside, target);
    throw error;
  }
  syncDirectory(dirname(target));
  return aside;
}

/** A directory that is not a store stays in place: a wrong --data-dir must not move other files. */
function requireMovable(target: string, mayMoveAside: boolean): void {
  if (existsSync(manifestFileOf(target))) {
    throw new StoreError(`${target} is a backup itself. Name another data directory with --data-dir.`);
  }
  const isStore = [markerFileOf, dataFileOf, claimFileOf].some((fileOf) => existsSync(fileOf(target)));
  if (!isStore) {
    throw new StoreError(
      `${target} is not empty, and is not a data directory of Burgee. Choose another one with --data-dir.`,
    );
  }
  if (mayMoveAside) return;
  throw new StoreError(
    `${target} holds a store already. To put the backup in its place, add --force: the old directory is kept under ` +
      'another name. Or name another directory with --data-dir.',
  );
}
