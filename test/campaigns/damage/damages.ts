import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'lmdb';
import { dataFileOf } from '../../../src/storage/lmdb/environment.ts';
import {
  pageHeaderBytes,
  readHead,
  readHeads,
  readPageHeader,
} from '../../../src/storage/lmdb/page-format.ts';
import { markerFileOf } from '../../../src/storage/store-identity.ts';
import { type DataPage, freeList, pagesInUse, tableOfTables } from '../../storage/support/data-pages.ts';
import type { Random } from '../../support/random.ts';

/** What a damage may cause. */
export interface Damage {
  readonly name: string;
  /** Whether the start must refuse it. Otherwise the start may refuse it, or no answer may show it. */
  readonly isFatal: boolean;
  /**
   * The server's settings let it check no record before it serves, so that it must notice the damage when it reads the record.
   */
  readonly isFoundWhenRead?: boolean;
  inflict(directory: string, random: Random, flagIds: readonly string[]): Promise<void> | void;
}

const bitsMax = 8;

export const damages: readonly Damage[] = [
  {
    name: 'bits anywhere',
    isFatal: false,
    inflict: (directory, random) => editFile(directory, (file) => flipBits(file, random, 0, file.length)),
  },
  {
    name: 'bits of a page in use',
    isFatal: false,
    inflict(directory, random) {
      const { first, pageBytes } = pickPage(directory, random);
      editFile(directory, (file) => flipBits(file, random, first * pageBytes, (first + 1) * pageBytes));
    },
  },
  {
    name: 'bits of a page that leads to others',
    isFatal: false,
    inflict: flipIn(({ kind, tree }) => kind === 'branch' || tree === tableOfTables),
  },
  {
    name: 'bits of the list of free pages',
    isFatal: false,
    inflict: flipIn(({ tree }) => tree === freeList),
  },
  {
    name: 'bits of an index',
    isFatal: false,
    inflict: flipIn(({ tree, kind }) => kind === 'leaf' && /-by-/.test(tree)),
  },
  { name: 'bits of a head', isFatal: false, inflict: flipHead },
  { name: 'bits of a record', isFatal: false, isFoundWhenRead: true, inflict: flipRecord },
  {
    name: 'a page of zeros',
    isFatal: true,
    inflict(directory, random) {
      const { first, pageBytes } = pickPage(directory, random);
      editFile(directory, (file) => file.fill(0, first * pageBytes, (first + 1) * pageBytes));
    },
  },
  {
    name: 'a head of zeros',
    isFatal: true,
    inflict(directory, random) {
      const page = random.integer(0, 1);
      const { pageBytes } = headOf(directory);
      editFile(directory, (file) => file.fill(0, page * pageBytes, (page + 1) * pageBytes));
    },
  },
  {
    name: 'a page in the place of another',
    isFatal: true,
    inflict(directory, random) {
      const { first, pageBytes } = pickPage(directory, random);
      const from = (first + random.integer(1, 5)) * pageBytes;
      editFile(directory, (file) => {
        const other = from + pageBytes <= file.length ? from : 2 * pageBytes;
        if (other !== first * pageBytes) file.copy(file, first * pageBytes, other, other + pageBytes);
        else file.fill(0xff, first * pageBytes, (first + 1) * pageBytes);
      });
    },
  },
  { name: 'cut off', isFatal: true, inflict: cutOff },
  {
    name: 'empty',
    isFatal: true,
    inflict: (directory, random) =>
      writeFileSync(dataFileOf(directory), Buffer.alloc(random.pick([0, 4096, 60_000, 1_000_000]))),
  },
  { name: 'missing', isFatal: true, inflict: (directory) => rmSync(dataFileOf(directory)) },
  { name: 'foreign', isFatal: true, inflict: replaceByForeign },
  {
    name: 'another store’s marker',
    isFatal: true,
    inflict: (directory) =>
      writeFileSync(markerFileOf(directory), JSON.stringify({ storeId: '0'.repeat(20), format: 1 })),
  },
  {
    name: 'bits of the marker',
    isFatal: false,
    inflict(directory, random) {
      const path = markerFileOf(directory);
      const bytes = readFileSync(path);
      flipBits(bytes, random, 0, bytes.length);
      writeFileSync(path, bytes);
    },
  },
  {
    name: 'bits of the list of readers',
    isFatal: false,
    inflict(directory, random) {
      const bytes = Buffer.alloc(32_976);
      for (let at = 0; at < bytes.length; at += 4)
        bytes.writeInt32LE(random.integer(-(2 ** 31), 2 ** 31 - 1), at);
      writeFileSync(`${dataFileOf(directory)}-lock`, bytes);
    },
  },
];

function editFile(directory: string, edit: (file: Buffer) => void): void {
  const path = dataFileOf(directory);
  const file = readFileSync(path);
  edit(file);
  writeFileSync(path, file);
}

function flipBits(bytes: Buffer, random: Random, from: number, to: number): void {
  for (let flips = random.integer(1, bitsMax); flips > 0; flips -= 1) {
    flipBit(bytes, random.integer(from, to - 1), random.integer(0, 7));
  }
}

/** Of the bits that are not in the free space between the offsets of a page and its nodes. */
function flipUsedBits(file: Buffer, random: Random, start: number, pageBytes: number): void {
  const { offsetsBytes, nodesAt } = readPageHeader(file.subarray(start));
  const parts = [
    [start, start + pageHeaderBytes + offsetsBytes],
    [start + pageHeaderBytes + nodesAt, start + pageBytes],
  ] as const;
  for (let flips = random.integer(1, 2); flips > 0; flips -= 1) {
    const [from, to] = random.pick([parts[0], parts[1], parts[1], parts[1]]);
    flipBit(file, random.integer(from, to - 1), random.integer(0, 7));
  }
}

function flipBit(bytes: Buffer, at: number, bit: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
}

function headOf(directory: string) {
  return withFile(directory, (descriptor) => required(readHead(descriptor)));
}

/** Picks a page in use; those of long values are included. */
function pickPage(
  directory: string,
  random: Random,
  isChosen: (page: DataPage) => boolean = () => true,
): { readonly first: number; readonly pageBytes: number } {
  return withFile(directory, (descriptor) => {
    const head = required(readHead(descriptor));
    const pages = Array.from(pagesInUse(descriptor, head)).filter(isChosen);
    return { first: random.pick(pages).first, pageBytes: head.pageBytes };
  });
}

/** Flips bits of the content of one such page: a page's first bytes are its header, and its end is full of nodes. */
function flipIn(isChosen: (page: DataPage) => boolean) {
  return (directory: string, random: Random): void => {
    const { first, pageBytes } = pickPage(directory, random, isChosen);
    editFile(directory, (file) => flipUsedBits(file, random, first * pageBytes, pageBytes));
  };
}

function withFile<T>(directory: string, run: (descriptor: number) => T): T {
  const descriptor = openSync(dataFileOf(directory), 'r');
  try {
    return run(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function required<T>(value: T | null): T {
  if (value === null) throw new Error('the data file has no head');
  return value;
}

const headFrom = 16;
const headTo = 168;
const commitAt = 152;

/**
 * One bit is left out. Flipping it gives the newest head the number of the previous commit, as after a failed write of
 * the head, when LMDB restores that number. The two cannot be distinguished.
 */
function flipHead(directory: string, random: Random): void {
  const { pageBytes, newest } = withFile(directory, (descriptor) => {
    const [first, second] = readHeads(descriptor).map(required);
    if (first === undefined || second === undefined) throw new Error('the data file has no two heads');
    return { pageBytes: first.pageBytes, newest: first.commit > second.commit ? 0 : 1 };
  });
  const page = random.integer(0, 1);
  editFile(directory, (file) => {
    for (let flips = random.integer(1, 3); flips > 0; flips -= 1) {
      const at = random.integer(headFrom, headTo - 1);
      const bit =
        at === commitAt && page === newest ? random.pick([0, 2, 3, 4, 5, 6, 7]) : random.integer(0, 7);
      flipBit(file, page * pageBytes + at, bit);
    }
  });
}

const idBytes = 20;
/** msgpack's first byte of a string of 20 bytes. */
const idMark = String.fromCharCode(0xa0 + idBytes);

/** Flips a bit at each place of a flag's id within records. In keys the mark does not come before the id. */
function flipRecord(directory: string, random: Random, flagIds: readonly string[]): void {
  editFile(directory, (file) => {
    const name = Buffer.from(idMark + random.pick(flagIds), 'latin1');
    for (let at = file.indexOf(name); at >= 0; at = file.indexOf(name, at + 1)) {
      flipBit(file, at + random.integer(0, idBytes), random.integer(0, 7));
    }
  });
}

/** Cuts the file before the end of the last page in use. */
function cutOff(directory: string, random: Random): void {
  const end = withFile(directory, (descriptor) => {
    const head = required(readHead(descriptor));
    const ends = Array.from(pagesInUse(descriptor, head), ({ first, pages }) => first + pages);
    return Math.max(...ends) * head.pageBytes;
  });
  truncateSync(dataFileOf(directory), random.integer(1, end - 1));
}

async function replaceByForeign(directory: string, random: Random): Promise<void> {
  const path = dataFileOf(directory);
  const kind = random.integer(0, 2);
  rmSync(path);
  if (kind === 0) writeFileSync(path, 'something else\n'.repeat(random.integer(1, 20_000)));
  if (kind === 1)
    writeFileSync(path, Buffer.from(Array.from({ length: 50_000 }, () => random.integer(0, 255))));
  if (kind < 2) return;
  const theirs = open({ path, noSubdir: true });
  await theirs.openDB({ name: 'theirs' }).put('key', 'value');
  await theirs.close();
}
