import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHead, pageBytesMax, readHead } from './pages/file-head.ts';
import { pagesInUse } from './pages/pages-in-use.ts';

/**
 * What the data file looks like before lmdb maps it, which would create a missing file, fill an empty one, and end the
 * process on a page that the file no longer has.
 *
 * - `missing`
 * - `blank`: no page of data was ever written (a creation that was interrupted, or a file emptied later)
 * - `foreign`: not an LMDB file of lmdb's present format
 * - `truncated`: pages in use lie beyond its end
 * - `usable`
 */
export type DataFileState = 'missing' | 'blank' | 'foreign' | 'truncated' | 'usable';

export function inspectDataFile(path: string): DataFileState {
  const descriptor = openIfPresent(path);
  if (descriptor === null) return 'missing';
  try {
    return inspect(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** @returns LMDB's number of the newest commit; null when the file is not one of its present format. */
export function commitIn(path: string): number | null {
  const descriptor = openSync(path, 'r');
  try {
    const head = readHead(descriptor);
    return head?.commit ?? null;
  } finally {
    closeSync(descriptor);
  }
}

function inspect(descriptor: number): DataFileState {
  const { size } = fstatSync(descriptor);
  // A blank file is at most two pages.
  if (size <= 2 * pageBytesMax && isAllZero(descriptor, size)) return 'blank';
  const head = readHead(descriptor);
  if (head === null) return 'foreign';
  if (size <= 2 * head.pageBytes) return 'blank';
  return isTruncated(descriptor, head) ? 'truncated' : 'usable';
}

/** Of a file that a running server may be writing: its size is read after its head, and a head that moved, again. */
function isTruncated(descriptor: number, head: FileHead): boolean {
  const { size } = fstatSync(descriptor);
  if (size >= (head.lastPage + 1) * head.pageBytes) return false;
  if (!hasPagesBeyondEnd(descriptor, size, head)) return false;
  const headNow = readHead(descriptor);
  return headNow === null || headNow.commit === head.commit || isTruncated(descriptor, headNow);
}

/** Rarely needed: only when the file is shorter than its last page number says. */
function hasPagesBeyondEnd(descriptor: number, size: number, head: FileHead): boolean {
  const pages = Math.floor(size / head.pageBytes);
  try {
    for (const run of pagesInUse(descriptor, head)) {
      if (run.first + run.pages > pages) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

function isAllZero(descriptor: number, size: number): boolean {
  const bytes = Buffer.alloc(size);
  readSync(descriptor, bytes, 0, size, 0);
  return bytes.every((byte) => byte === 0);
}

function openIfPresent(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
