import { chownSync, closeSync, lstatSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { tryLock } from 'fs-native-extensions';
import { dataFileOf } from '../lmdb/environment.ts';
import { lockFileOf } from '../lmdb/lock-file.ts';
import { WritersGate } from '../lmdb/opening-gate.ts';
import { syncDirectory } from '../store-directory.ts';
import { StoreError } from '../store-error.ts';

/** lmdb locks this byte of its lock file, shared, in every process that has the data file open. */
const openedByte = 0;

/**
 * Replaces the data file with a verified copy, which is on disk, by one rename: after a crash one of the two is there.
 * The caller holds the claim on the directory, so no process writes. This function checks that no process reads, because
 * lmdb's readers of both files would use one lock file.
 *
 * @throws StoreError when another process has the data file open, or the file has another name, which would keep the
 * old data; nothing is changed then
 */
export function replaceDataFile(directory: string, copy: string): void {
  const path = dataFileOf(directory);
  requireSoleName(path);
  const gate = new WritersGate(path);
  try {
    // A process that is about to open the file waits at the gate, and then finds the new one.
    gate.within(() =>
      whileUnread(directory, () => {
        keepOwner(path, copy);
        renameSync(copy, path);
        syncDirectory(directory);
        syncDirectory(dirname(copy));
      }),
    );
  } finally {
    gate.close();
  }
}

function requireSoleName(path: string): void {
  const entry = lstatSync(path);
  if (entry.isFile() && entry.nlink === 1) return;
  throw new StoreError(
    `${path} is a link, or has another name: a compact copy would take the place of this name alone. ` +
      'Give the file one name, in the data directory, and try again.',
  );
}

/** A command that root runs must not create a file that the service cannot open. */
function keepOwner(path: string, copy: string): void {
  const { uid, gid } = statSync(path);
  const made = statSync(copy);
  if (made.uid !== uid || made.gid !== gid) chownSync(copy, uid, gid);
}

function whileUnread(directory: string, run: () => void): void {
  const descriptor = openSync(lockFileOf(directory), 'a+', 0o600);
  try {
    if (!tryLock(descriptor, openedByte, 1)) {
      throw new StoreError(
        `${dataFileOf(directory)} is being read by another process: a backup, a check or an export. Wait until it has ended, and try again.`,
      );
    }
    run();
  } finally {
    // The lock ends with the descriptor.
    closeSync(descriptor);
  }
}
