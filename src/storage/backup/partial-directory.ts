import { existsSync, lstatSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Claim, claimDirectory, claimFileOf } from '../lmdb/claim.ts';
import { createDirectory, syncDirectory } from '../store-directory.ts';
import { StoreError } from '../store-error.ts';

/**
 * A directory that is made under a temporary name next to its final one, and renamed when it is complete. A crash leaves at
 * most the temporary one, which the next attempt empties and uses. The claim on it keeps two attempts apart.
 */
export interface PartialDirectory {
  readonly path: string;
  /** Renames it to its place, where at most an empty directory may be; on disk when it returns. @throws StoreError */
  finish(): void;
  /** Removes it, unless it is finished. */
  abandon(): void;
}

/** @param ending of the temporary name. @throws StoreError when another process is making it, or it cannot be made here. */
export function beginDirectory(target: string, ending: string): PartialDirectory {
  const wanted = resolve(target);
  requireNoMount(wanted);
  const path = `${wanted}${ending}`;
  const claim = claimDirectory(path);
  empty(path);
  let isFinished = false;
  return {
    path,
    finish() {
      syncDirectory(path);
      putInPlace(path, wanted);
      isFinished = true;
      syncDirectory(dirname(wanted));
      endClaim(claim, wanted);
    },
    abandon() {
      if (isFinished) return;
      rmSync(path, { recursive: true, force: true });
      claim.release();
    },
  };
}

/** @returns whether nothing would be lost if it were replaced: it is missing, or has at most a claim file. */
export function isVacant(directory: string): boolean {
  if (!existsSync(directory)) return true;
  if (!lstatSync(directory).isDirectory()) return false;
  return readdirSync(directory).every((name) => name === basename(claimFileOf(directory)));
}

/** @returns whether a file system is mounted there; false when nothing is there. */
export function isMountPoint(directory: string): boolean {
  const found = statSync(directory, { throwIfNoEntry: false });
  return found !== undefined && found.dev !== statSync(dirname(resolve(directory))).dev;
}

/** A mount point cannot be replaced by a directory of another file system. */
function requireNoMount(target: string): void {
  createDirectory(dirname(target));
  if (!isMountPoint(target)) return;
  throw new StoreError(
    `${target} is a file system of its own. Name a directory in it: ${join(target, 'burgee')}`,
  );
}

/** Removes the files that a killed attempt has left. */
function empty(path: string): void {
  const kept = basename(claimFileOf(path));
  for (const name of readdirSync(path)) {
    if (name !== kept) rmSync(join(path, name), { recursive: true, force: true });
  }
}

/** The directory that is replaced has no content, so nothing is lost between the two steps. */
function putInPlace(path: string, target: string): void {
  try {
    if (existsSync(target)) {
      rmSync(claimFileOf(target), { force: true });
      rmdirSync(target);
    }
    renameSync(path, target);
  } catch (error) {
    throw new StoreError(`${path} cannot be renamed to ${target}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The claim file is removed after the rename, so that no other process can take the temporary name before. */
function endClaim(claim: Claim, directory: string): void {
  rmSync(claimFileOf(directory), { force: true });
  claim.release();
}
