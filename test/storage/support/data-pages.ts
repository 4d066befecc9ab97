import { readSync } from 'node:fs';
import {
  childOf,
  type FileHead,
  keyBytesAt,
  nodeFlags,
  nodeFlagsAt,
  nodeHeaderBytes,
  pageFlags,
  pageHeaderBytes,
  readCount,
  readPageHeader,
  readTreeRecord,
} from '../../../src/storage/lmdb/page-format.ts';

/** A page in use, or the run of pages that one long value takes. */
export interface DataPage {
  readonly first: number;
  readonly pages: number;
  /** A database, or one of LMDB's own trees. */
  readonly tree: string;
  readonly kind: 'branch' | 'leaf' | 'value';
}

export const freeList = 'the list of free pages';
export const tableOfTables = 'the table of tables';

/** Every page in use of an undamaged file. */
export function* pagesInUse(descriptor: number, head: FileHead): Generator<DataPage> {
  yield* pagesOfTree(descriptor, head.pageBytes, head.free.root, freeList);
  yield* pagesOfTree(descriptor, head.pageBytes, head.main.root, tableOfTables);
}

function* pagesOfTree(
  descriptor: number,
  bytes: number,
  page: number | null,
  tree: string,
): Generator<DataPage> {
  if (page === null) return;
  const content = Buffer.alloc(bytes);
  readSync(descriptor, content, 0, bytes, page * bytes);
  const { flags, offsetsBytes } = readPageHeader(content);
  const isBranch = (flags & pageFlags.branch) !== 0;
  yield { first: page, pages: 1, tree, kind: isBranch ? 'branch' : 'leaf' };
  for (let at = 0; at < offsetsBytes; at += 2) {
    const node = content.subarray(pageHeaderBytes + content.readUInt16LE(pageHeaderBytes + at));
    if (isBranch) yield* pagesOfTree(descriptor, bytes, childOf(node, 0), tree);
    else yield* pagesOfValue(descriptor, bytes, node, tree);
  }
}

function* pagesOfValue(descriptor: number, bytes: number, node: Buffer, tree: string): Generator<DataPage> {
  const flags = node.readUInt16LE(nodeFlagsAt);
  const key = node.subarray(nodeHeaderBytes, nodeHeaderBytes + node.readUInt16LE(keyBytesAt));
  const value = node.subarray(nodeHeaderBytes + key.length);
  if (flags & nodeFlags.bigValue)
    yield { first: readCount(value, 0), pages: readCount(value, 16), tree, kind: 'value' };
  // A database's name ends with a zero.
  const name = key.toString('latin1', 0, key.length - 1);
  if (flags & nodeFlags.tree) yield* pagesOfTree(descriptor, bytes, readTreeRecord(value, 0).root, name);
}
