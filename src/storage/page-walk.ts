import { readSync } from 'node:fs';

/** Where the newest commit's trees begin. */
export interface FileHead {
  readonly pageBytes: number;
  /** Of the free list and of the table of tables. */
  readonly roots: readonly bigint[];
  readonly lastPage: bigint;
  readonly commit: bigint;
}

export interface PageRun {
  readonly first: bigint;
  readonly pages: bigint;
}

const noPage = 0xffff_ffff_ffff_ffffn;
const depthMax = 64;

/**
 * Offsets in lmdb 3.5's data format 2. A page is a header, the offsets of its nodes, and the nodes; a node is a header,
 * a key and, on a leaf, a value. A branch node's header is the number of its child page.
 */
const pageHeaderBytes = 24;
const pageFlagsAt = 18;
const nodeTableBytesAt = 20;
const branchPage = 1;
const leafPage = 2;
const nodeHeaderBytes = 8;
const nodeFlagsAt = 4;
const keyBytesAt = 6;
/** The value lies on pages of its own: their first number, and 16 bytes on, how many they are. */
const bigValue = 1;
/** The value describes a tree; 40 bytes on is its root. */
const treeValue = 2;

/**
 * Every page in use, each named before it is read. LMDB may leave the last pages of a file unwritten while they are
 * free, so a file that is shorter than its last page number says need not have lost anything; this walk tells. It does
 * without lmdb, because a read of a mapped page beyond the end ends the process.
 *
 * @throws RangeError on a page that is not what it should be.
 */
export function* pagesInUse(descriptor: number, head: FileHead): Generator<PageRun> {
  for (const root of head.roots) yield* pagesOfTree(descriptor, head.pageBytes, root, 0);
}

function* pagesOfTree(descriptor: number, bytes: number, page: bigint, depth: number): Generator<PageRun> {
  if (page === noPage) return;
  if (depth > depthMax) throw new RangeError('A tree of pages that does not end');
  yield { first: page, pages: 1n };
  const content = Buffer.alloc(bytes);
  readSync(descriptor, content, 0, bytes, Number(page) * bytes);
  const flags = content.readUInt16LE(pageFlagsAt);
  for (const node of nodesOf(content)) {
    if (flags & branchPage) yield* pagesOfTree(descriptor, bytes, childOf(node), depth + 1);
    else if (flags & leafPage) yield* pagesOfValue(descriptor, bytes, node, depth);
  }
}

function* pagesOfValue(descriptor: number, bytes: number, node: Buffer, depth: number): Generator<PageRun> {
  const flags = node.readUInt16LE(nodeFlagsAt);
  const value = node.subarray(nodeHeaderBytes + node.readUInt16LE(keyBytesAt));
  if (flags & bigValue) yield { first: value.readBigUInt64LE(0), pages: value.readBigUInt64LE(16) };
  if (flags & treeValue) yield* pagesOfTree(descriptor, bytes, value.readBigUInt64LE(40), depth + 1);
}

function* nodesOf(page: Buffer): Generator<Buffer> {
  const tableBytes = page.readUInt16LE(nodeTableBytesAt);
  for (let at = 0; at < tableBytes; at += 2) {
    yield page.subarray(pageHeaderBytes + page.readUInt16LE(pageHeaderBytes + at));
  }
}

function childOf(node: Buffer): bigint {
  return BigInt(node.readUInt32LE(0)) + (BigInt(node.readUInt16LE(nodeFlagsAt)) << 32n);
}
