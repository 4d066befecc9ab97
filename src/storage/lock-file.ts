import { accessSync, closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';
import { dataFileOf } from './environment.ts';

/** LMDB's own, beside the data file: who reads which commit, and who writes. */
export function lockFileOf(directory: string): string {
  return `${dataFileOf(directory)}-lock`;
}

/**
 * Where lmdb may not open its lock file, it ends the process that wants to write, and reads without a lock, so that a
 * server beside it would use the pages again that are being read.
 * @throws Error of node:fs when it is there and may not be opened; one that cannot be written at all is nobody else's
 */
export function requireLockFile(directory: string): void {
  try {
    accessSync(lockFileOf(directory), constants.R_OK | constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EROFS') throw error;
  }
}

/**
 * Where root would make the lock file, it is made for the owner of the data file: the service could not open root's. It
 * is not given away later: the owner could have put a link to something else in its place by then. Where it cannot be
 * made so, lmdb makes it.
 */
export function makeLockFileForOwner(directory: string): void {
  if (process.getuid?.() !== 0) return;
  try {
    const { uid, gid } = statSync(dataFileOf(directory));
    // Exclusive: it follows no link, and what is there already stays.
    const descriptor = openSync(lockFileOf(directory), 'wx', 0o600);
    try {
      fchownSync(descriptor, uid, gid);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return;
  }
}
