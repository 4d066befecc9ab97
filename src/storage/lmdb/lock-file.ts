import { accessSync, closeSync, constants, fchownSync, openSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { tryLock } from 'fs-native-extensions';
import { StoreError } from '../store-error.ts';
import { dataFileOf } from './environment.ts';

/** LMDB's lock file, next to the data file: the readers with their commits, and the writer. */
export function lockFileOf(directory: string): string {
  return `${dataFileOf(directory)}-lock`;
}

/**
 * If lmdb may not open its lock file, it ends a process that wants to write, and reads without a lock: then a server
 * would reuse pages that are being read.
 * @throws Error of node:fs when it exists and may not be opened; on a read-only file system that is allowed
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
 * If root would create the lock file, it is created for the owner of the data file, because the service could not open
 * root's. It is not given away later: the owner could have replaced it with a link by then. If that fails, lmdb creates
 * it.
 */
export function makeLockFileForOwner(directory: string): void {
  if (process.getuid?.() !== 0) return;
  try {
    const { uid, gid } = statSync(dataFileOf(directory));
    // Exclusive: it follows no link, and an existing file stays.
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

/** Call it only when no process has the store open: the file is LMDB's list of readers. */
export function dropLockFile(directory: string): void {
  rmSync(lockFileOf(directory), { force: true });
}

/* LMDB finds its lock file next to the data file, by name. A process that opens the data file in another directory
   (by a hard link or a symbolic one), or after the lock file was removed, has another lock file: the writer does not
   know that reader's snapshot, and reuses pages that it reads.
   
   So all processes that have the data file open show with locks on the data file which lock file they use. Far
   behind its end there is a byte for each lock file, by its inode, and one for having none. A reader shares the byte
   of its own; the writer holds all the others. The locks end with the process that holds them. */
const firstByte = 2 ** 51;
const byteCount = 2 ** 48;
/** For a reader without a lock file: on a read-only file system, lmdb reads without one. */
const noLockFile = firstByte;

/**
 * For a reader: call it when lmdb has opened the file, before anything is read.
 * @returns a function that ends it; a second call has no effect. @throws StoreError when the writer uses another lock
 * file
 */
export function shareLockFile(directory: string): () => void {
  const descriptor = openSync(dataFileOf(directory), 'r');
  let isOpen = true;
  const end = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  if (tryLock(descriptor, byteOf(directory), 1, { shared: true })) return end;
  end();
  throw new StoreError(writtenElsewhere(directory));
}

/**
 * For the writer: call it when lmdb has opened the file; it lasts while the file is open.
 * @param descriptor of the data file, open for writing. @throws StoreError when a reader uses another lock file
 */
export function keepLockFile(descriptor: number, directory: string): void {
  const own = byteOf(directory);
  const next = own + 1;
  const areOthersFree =
    tryLock(descriptor, firstByte, own - firstByte) &&
    tryLock(descriptor, next, firstByte + byteCount - next);
  if (!areOthersFree) throw new StoreError(readElsewhere(directory));
}

function writtenElsewhere(directory: string): string {
  return (
    `${dataFileOf(directory)} is written by a process that uses another ${lockName(directory)} than the one here, so ` +
    'it cannot be read safely. Name the directory that the server was started with; if the lock file was removed, ' +
    'restart the server first.'
  );
}

function readElsewhere(directory: string): string {
  return (
    `${dataFileOf(directory)} is being read by a process that uses another ${lockName(directory)} than the one here: a ` +
    'backup, a check or an export in another directory with the same file. Wait until it has ended, and try again.'
  );
}

function lockName(directory: string): string {
  return basename(lockFileOf(directory));
}

function byteOf(directory: string): number {
  const path = lockFileOf(directory);
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    const { ino } = statSync(path, { bigint: true });
    return noLockFile + 1 + Number(ino % BigInt(byteCount - 2));
  } catch {
    return noLockFile;
  }
}
