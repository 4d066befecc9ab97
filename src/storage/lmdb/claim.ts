import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock, unlock } from 'fs-native-extensions';
import { createDirectory } from '../store-directory.ts';
import { StoreError } from '../store-error.ts';
import { dataFileOf } from './environment.ts';
import { requireUnwritten } from './opening-gate.ts';

/** The exclusive right to write to a data directory. */
export interface Claim {
  /** A second call has no effect. */
  release(): void;
}

export function claimFileOf(directory: string): string {
  return join(directory, 'burgee.lock');
}

/**
 * Claims a data directory, and creates it if it is missing. The claim is a lock of the operating system on an open
 * file, so it ends with the process, however the process ends, and never becomes stale. The file itself stays: if it
 * were removed, two processes could lock two files of one name. If it was removed nevertheless, or if the data
 * file has a name in another directory too, the locks on the data file show whether a process writes to it
 * (`opening-gate.ts`).
 *
 * @throws StoreError with the holder's pid, if it is known, and with what to do.
 */
export function claimDirectory(directory: string): Claim {
  createDirectory(directory);
  const descriptor = openClaimFile(directory);
  if (!tryLock(descriptor)) {
    closeSync(descriptor);
    throw new StoreError(heldMessage(directory));
  }
  const claim = createClaim(descriptor);
  try {
    lookAtDataFile(directory);
  } catch (fault) {
    claim.release();
    throw fault;
  }
  ftruncateSync(descriptor);
  writeSync(descriptor, `${process.pid}\n`);
  return claim;
}

/** A data file that cannot be examined is reported when it is opened. */
function lookAtDataFile(directory: string): void {
  try {
    requireUnwritten(dataFileOf(directory));
  } catch (fault) {
    if (fault instanceof StoreError) throw fault;
  }
}

function createClaim(descriptor: number): Claim {
  let isHeld = true;
  return {
    release() {
      if (!isHeld) return;
      isHeld = false;
      unlock(descriptor);
      closeSync(descriptor);
    },
  };
}

function openClaimFile(directory: string): number {
  try {
    return openSync(claimFileOf(directory), 'a+', 0o600);
  } catch (error) {
    throw new StoreError(
      `The data directory ${directory} cannot be claimed: ${(error as Error).message}. Check its owner and permissions.`,
      { cause: error },
    );
  }
}

function heldMessage(directory: string): string {
  const holder = readHolder(directory);
  const who = holder === '' ? 'another process' : `process ${holder}`;
  return (
    `The data directory ${directory} is in use by ${who}. Stop that process, send the command to the running ` +
    'server, or choose another directory with --data-dir.'
  );
}

/** The holder writes its pid right after it has taken the lock; in between there may be none. */
function readHolder(directory: string): string {
  try {
    return readFileSync(claimFileOf(directory), 'latin1').trim();
  } catch {
    return '';
  }
}
