import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { checkPages, DamagedPagesError, everyEntry } from './check-pages.ts';
import { type FileHead, pageBytesMax, readHead } from './page-format.ts';

/**
 * The state of the data file before lmdb maps it: lmdb would create a missing file, fill an empty one, and crash on a
 * page that the file no longer has.
 *
 * - `missing`
 * - `blank`: no page of data was ever written (an interrupted creation, or a file that was emptied)
 * - `foreign`: not an LMDB file of lmdb's present format
 * - `truncated`: pages in use are beyond its end
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
    return readHead(descriptor)?.commit ?? null;
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

/**
 * LMDB may never have written the last pages of a file while they are free. So a file that is shorter than its last page
 * number says may be complete: then all its pages are checked. If the head moves meanwhile, a server is writing the file,
 * which has checked it at its start.
 */
function isTruncated(descriptor: number, head: FileHead): boolean {
  if (fstatSync(descriptor).size >= (head.lastPage + 1) * head.pageBytes) return false;
  try {
    checkPages(descriptor, head, everyEntry);
    return false;
  } catch (error) {
    if (!(error instanceof DamagedPagesError)) throw error;
  }
  return readHead(descriptor)?.commit === head.commit;
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
