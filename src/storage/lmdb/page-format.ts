import { readSync } from 'node:fs';

/**
 * How lmdb 3.5's data format 2 lays a page out: 64 bits, little-endian. A page is a header, the offsets of its nodes
 * (counted from the end of the header), free space, and the nodes. A node is a header, a key and, on a leaf, a value; a
 * branch node's header is the number of its child page.
 *
 * | page header                     | node header                                   | tree record                  |
 * |---------------------------------|-----------------------------------------------|------------------------------|
 * | 0: its own number               | 0: bytes of the value; of a branch, the child | 4: flags, 6: depth           |
 * | 8: the commit that wrote it     | 4: flags; of a branch, the child's high bits  | 8: branch pages              |
 * | 18: flags                       | 6: bytes of the key                           | 16: leaf pages               |
 * | 20: bytes of the offsets        | 8: the key, then the value                    | 24: pages of big values      |
 * | 22: where the nodes begin       |                                               | 32: entries, 40: root        |
 *
 * The value of a big node is where it lies: 0 the first page, 8 the commit, 16 the number of pages.
 */
export const pageHeaderBytes = 24;
export const nodeHeaderBytes = 8;
export const nodeFlagsAt = 4;
export const keyBytesAt = 6;
export const treeRecordBytes = 48;
export const bigValueBytes = 24;

export const pageFlags = { branch: 1, leaf: 2, bigValue: 4 };
export const nodeFlags = { bigValue: 1, tree: 2 };

const noPage = 0xffff_ffff_ffff_ffffn;

export interface TreeRecord {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly bigValuePages: number;
  readonly entries: number;
  /** Null when the tree is empty. */
  readonly root: number | null;
}

/** Numbers beyond 2^53 lose their low bits; such a page, count or commit is beyond every bound anyway. */
export function readCount(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);
}

export function readTreeRecord(bytes: Buffer, at: number): TreeRecord {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: readCount(bytes, at + 8),
    leafPages: readCount(bytes, at + 16),
    bigValuePages: readCount(bytes, at + 24),
    entries: readCount(bytes, at + 32),
    root: bytes.readBigUInt64LE(at + 40) === noPage ? null : readCount(bytes, at + 40),
  };
}

export interface DataPageHead {
  readonly number: number;
  readonly commit: number;
  readonly flags: number;
  readonly offsetsBytes: number;
  readonly nodesAt: number;
}

export function readPageHeader(page: Buffer): DataPageHead {
  return {
    number: readCount(page, 0),
    commit: readCount(page, 8),
    flags: page.readUInt16LE(18),
    offsetsBytes: page.readUInt16LE(20),
    nodesAt: page.readUInt16LE(22),
  };
}

/** @param node offset of a branch's node. @returns the number of its child page. */
export function childOf(page: Buffer, node: number): number {
  return page.readUInt32LE(node) + page.readUInt16LE(node + nodeFlagsAt) * 2 ** 32;
}

/**
 * The roots of a commit's trees. The two pages at the head of the file belong to the last two commits: the newer
 * counts.
 */
export interface FileHead {
  readonly pageBytes: number;
  readonly free: TreeRecord;
  readonly main: TreeRecord;
  readonly lastPage: number;
  readonly commit: number;
  /** The number in the page itself. */
  readonly page: number;
  /** The fields that no commit changes, as one text. */
  readonly constants: string;
}

/**
 * Offsets are those of lmdb 3.5's data format 2, 64 bits, little-endian; the size of a page is in the first tree's
 * record.
 */
const magic = 0xbeefc0de;
const dataFormat = 2;
const magicAt = pageHeaderBytes;
const dataFormatAt = magicAt + 4;
const addressAt = magicAt + 8;
const freeTreeAt = magicAt + 24;
const mainTreeAt = freeTreeAt + treeRecordBytes;
const lastPageAt = mainTreeAt + treeRecordBytes;
const commitAt = lastPageAt + 8;
const headBytes = commitAt + 8;
export const pageBytesMax = 65536;

/** @returns the newer head; null when the file is not one of lmdb's present format. */
export function readHead(descriptor: number): FileHead | null {
  const [first, second] = readHeads(descriptor);
  if (first === null) return null;
  return second !== null && second.commit > first.commit ? second : first;
}

/** Each null when it cannot be read. */
export function readHeads(descriptor: number): readonly [FileHead | null, FileHead | null] {
  const first = readHeadAt(descriptor, 0);
  return [first, first === null ? null : readHeadAt(descriptor, first.pageBytes)];
}

function readHeadAt(descriptor: number, position: number): FileHead | null {
  const bytes = Buffer.alloc(headBytes);
  if (readSync(descriptor, bytes, 0, headBytes, position) < headBytes) return null;
  const pageBytes = bytes.readUInt32LE(freeTreeAt);
  if (bytes.readUInt32LE(magicAt) !== magic || bytes.readUInt32LE(dataFormatAt) !== dataFormat) return null;
  if (pageBytes < 256 || pageBytes > pageBytesMax) return null;
  const free = readTreeRecord(bytes, freeTreeAt);
  const main = readTreeRecord(bytes, mainTreeAt);
  const constants = [readCount(bytes, addressAt), pageBytes, bytes.readUInt16LE(18), free.flags, main.flags];
  return {
    ...{ pageBytes, free, main },
    page: readCount(bytes, 0),
    lastPage: readCount(bytes, lastPageAt),
    commit: readCount(bytes, commitAt),
    constants: constants.join(),
  };
}
