import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { leadsNowhere, noDirectory, StoreError } from './store-error.ts';

/** Creates the directory with mode 0700 if it is missing, durably: a lost directory entry would lose the store. */
export function createDirectory(directory: string): void {
  const path = resolve(directory);
  const firstCreated = attempt(path, () => makeDirectories(path));
  if (firstCreated === undefined) return;
  const top = dirname(firstCreated);
  for (let parent = dirname(path); parent.length >= top.length; parent = dirname(parent)) {
    syncDirectory(parent);
    if (parent === top) return;
  }
}

/**
 * Does not use mkdir's own creation of parents: where none can be created, as in `/proc`, Node retries forever.
 * @returns the topmost directory that was created; undefined when all existed
 */
function makeDirectories(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return undefined;
  if (found !== undefined) throw new StoreError(noDirectory(path));
  const topmost = makeDirectories(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Another process was faster, or it is a link to a path that does not exist.
    if (!existsSync(path)) throw new StoreError(leadsNowhere(path));
  }
  return topmost ?? path;
}

/** Syncs a directory, so that the names of its files are on disk. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function attempt<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      `The data directory ${path} cannot be created: ${(error as Error).message}. Choose a directory that this user may ` +
        'write to.',
      { cause: error },
    );
  }
}
