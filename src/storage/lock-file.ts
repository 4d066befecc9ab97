import { accessSync, chownSync, constants, statSync } from 'node:fs';
import { dataFileOf } from './environment.ts';

/** LMDB's own, beside the data file: who reads which commit, and who writes. */
function lockFileOf(directory: string): string {
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

/** A lock file that root has made is given to the owner of the data file: the service could not open it. */
export function giveLockFileToOwner(directory: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataFileOf(directory));
  const lock = statSync(lockFileOf(directory), { throwIfNoEntry: false });
  if (lock !== undefined && lock.uid !== uid) chownSync(lockFileOf(directory), uid, gid);
}
