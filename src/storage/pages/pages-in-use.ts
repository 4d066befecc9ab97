import { readSync } from 'node:fs';
import type { FileHead } from './file-head.ts';
import {
  childOf,
  keyBytesAt,
  nodeFlags,
  nodeFlagsAt,
  nodeHeaderBytes,
  pageFlags,
  pageHeaderBytes,
  readCount,
  readPageHeader,
  readTreeRecord,
} from './page-format.ts';

export interface PageRun {
  readonly first: number;
  readonly pages: number;
}

const depthMax = 64;

/**
 * Every page in use, each named before it is read. LMDB may leave the last pages of a file unwritten while they are
 * free, so a file that is shorter than its last page number says need not have lost anything; this walk tells. It does
 * without lmdb, because a read of a mapped page beyond the end ends the process.
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
  if (depth > depthMax) throw new RangeError('A tree of pages that does not end');
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
