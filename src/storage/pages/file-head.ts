import { readSync } from 'node:fs';
import {
  pageHeaderBytes,
  readCount,
  readTreeRecord,
  type TreeRecord,
  treeRecordBytes,
} from './page-format.ts';

/** Where a commit's trees begin. The two pages at the head of the file are of the last two commits: the newer counts. */
export interface FileHead {
  readonly pageBytes: number;
  readonly free: TreeRecord;
  readonly main: TreeRecord;
  readonly lastPage: number;
  readonly commit: number;
  /** The number that the page gives itself. */
  readonly page: number;
  /** What no commit changes, in one word. */
  readonly constants: string;
}

/** Offsets are lmdb 3.5's data format 2, 64 bits, little-endian; the size of a page stands in the first tree's record. */
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
