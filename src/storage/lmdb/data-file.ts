import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  childOf,
  type FileHead,
  keyBytesAt,
  nodeFlags,
  nodeFlagsAt,
  nodeHeaderBytes,
  pageBytesMax,
  pageFlags,
  pageHeaderBytes,
  readCount,
  readHead,
  readPageHeader,
  readTreeRecord,
} from './pages/page-format.ts';

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

/**
 * For a file that a running server may be writing: its size is read after its head, and both again if the head has
 * moved.
 */
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

export interface PageRun {
  readonly first: number;
  readonly pages: number;
}

const depthMax = 64;

/**
 * Every page in use, each yielded before it is read. LMDB may leave the last pages of a file unwritten while they are
 * free, so a file that is shorter than its last page number says may be complete; this walk decides. It reads without
 * lmdb, because a read of a mapped page beyond the end crashes the process.
 *
 * @throws RangeError on a page that is not what it should be.
 */
export function* pagesInUse(
  descriptor: number,
  head: Pick<FileHead, 'pageBytes' | 'free' | 'main'>,
): Generator<PageRun> {
  for (const { root } of [head.free, head.main]) yield* pagesOfTree(descriptor, head.pageBytes, root, 0);
}

function* pagesOfTree(
  descriptor: number,
  bytes: number,
  page: number | null,
  depth: number,
): Generator<PageRun> {
  if (page === null) return;
  if (depth > depthMax) throw new RangeError('a tree of pages does not end');
  yield { first: page, pages: 1 };
  const content = Buffer.alloc(bytes);
  readSync(descriptor, content, 0, bytes, page * bytes);
  const { flags, offsetsBytes } = readPageHeader(content);
  for (const node of nodesOf(content, offsetsBytes)) {
    if (flags & pageFlags.branch) yield* pagesOfTree(descriptor, bytes, childOf(node, 0), depth + 1);
    else if (flags & pageFlags.leaf) yield* pagesOfValue(descriptor, bytes, node, depth);
  }
}

function* pagesOfValue(descriptor: number, bytes: number, node: Buffer, depth: number): Generator<PageRun> {
  const flags = node.readUInt16LE(nodeFlagsAt);
  const value = node.subarray(nodeHeaderBytes + node.readUInt16LE(keyBytesAt));
  if (flags & nodeFlags.bigValue) yield { first: readCount(value, 0), pages: readCount(value, 16) };
  if (flags & nodeFlags.tree) yield* pagesOfTree(descriptor, bytes, readTreeRecord(value, 0).root, depth + 1);
}

function* nodesOf(page: Buffer, offsetsBytes: number): Generator<Buffer> {
  for (let at = 0; at < offsetsBytes; at += 2) {
    yield page.subarray(pageHeaderBytes + page.readUInt16LE(pageHeaderBytes + at));
  }
}
