import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHead, pagesInUse } from './page-walk.ts';

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

/**
 * The two pages at the head of the file describe the tree: the newer one counts. Offsets are lmdb 3.5's data format 2,
 * 64 bits, little-endian.
 */
const magic = 0xbeefc0de;
const dataFormat = 2;
const offsets = {
  magic: 24,
  dataFormat: 28,
  pageBytes: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  commit: 152,
};
const metaBytes = 160;
/** No LMDB page is larger; a blank file is at most two of them. */
const pageBytesMax = 65536;

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
    return head === null ? null : Number(head.commit);
  } finally {
    closeSync(descriptor);
  }
}

function inspect(descriptor: number): DataFileState {
  const { size } = fstatSync(descriptor);
  if (size <= 2 * pageBytesMax && isAllZero(descriptor, size)) return 'blank';
  const head = readHead(descriptor);
  if (head === null) return 'foreign';
  if (size <= 2 * head.pageBytes) return 'blank';
  return isTruncated(descriptor, head) ? 'truncated' : 'usable';
}

/** Of a file that a running server may be writing: its size is read after its head, and a head that moved, again. */
function isTruncated(descriptor: number, head: FileHead): boolean {
  const { size } = fstatSync(descriptor);
  if (BigInt(size) >= (head.lastPage + 1n) * BigInt(head.pageBytes)) return false;
  if (!hasPagesBeyondEnd(descriptor, size, head)) return false;
  const headNow = readHead(descriptor);
  return headNow === null || headNow.commit === head.commit || isTruncated(descriptor, headNow);
}

function readHead(descriptor: number): FileHead | null {
  const first = readMeta(descriptor, 0);
  if (first === null) return null;
  const second = readMeta(descriptor, first.pageBytes);
  return second !== null && second.commit > first.commit ? second : first;
}

function readMeta(descriptor: number, position: number): FileHead | null {
  const bytes = Buffer.alloc(metaBytes);
  if (readSync(descriptor, bytes, 0, metaBytes, position) < metaBytes) return null;
  const pageBytes = bytes.readUInt32LE(offsets.pageBytes);
  if (bytes.readUInt32LE(offsets.magic) !== magic) return null;
  if (bytes.readUInt32LE(offsets.dataFormat) !== dataFormat) return null;
  if (pageBytes < 256 || pageBytes > pageBytesMax) return null;
  return {
    pageBytes,
    roots: [bytes.readBigUInt64LE(offsets.freeRoot), bytes.readBigUInt64LE(offsets.mainRoot)],
    lastPage: bytes.readBigUInt64LE(offsets.lastPage),
    commit: bytes.readBigUInt64LE(offsets.commit),
  };
}

/** Rarely needed: only when the file is shorter than its last page number says. */
function hasPagesBeyondEnd(descriptor: number, size: number, head: FileHead): boolean {
  const pages = BigInt(Math.floor(size / head.pageBytes));
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
