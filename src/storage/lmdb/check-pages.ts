import { fstatSync, readSync } from 'node:fs';
import {
  bigValueBytes,
  childOf,
  type DataPageHead,
  type FileHead,
  keyBytesAt,
  nodeFlags,
  nodeFlagsAt,
  nodeHeaderBytes,
  pageFlags,
  pageHeaderBytes,
  readCount,
  readHeads,
  readPageHeader,
  readTreeRecord,
  type TreeRecord,
  treeRecordBytes,
} from './page-format.ts';

/* LMDB has no checksums of pages. With a damaged page it returns wrong answers or crashes the process; with a damaged list
   of free pages, the next commits overwrite pages in use. So the pages are checked here, without lmdb. */

/** The data file is not what LMDB writes. The message names the fault and the page. */
export class DamagedPagesError extends Error {
  override readonly name = 'DamagedPagesError';
}

/** An entry of a leaf page. Key and value are views: copy them to keep them. */
export interface TreeEntry {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly flags: number;
  /** The commit that wrote the page. Everything that the entry refers to was written by it or earlier. */
  readonly commit: number;
}

export interface DatabaseSize {
  readonly name: string;
  readonly bytes: number;
}

/** Receives the entries of databases while their pages are checked. */
export interface DatabaseVisitor {
  /** @returns the databases whose leaf pages are read. Of the others only the pages that lead to leaves are read. */
  choose(databases: readonly DatabaseSize[]): ReadonlySet<string>;
  /** @returns the visitor of each entry in a chosen database */
  begin(name: string): (entry: TreeEntry) => void;
}

/** Checks all entries, and does nothing with them. */
export const everyEntry: DatabaseVisitor = {
  choose: (databases) => new Set(databases.map(({ name }) => name)),
  begin: () => () => undefined,
};

const tableOfTables = 'the table of tables';
const freeList = 'the list of free pages';

/**
 * Checks the pages in use of a data file, and that no free page is in use.
 * @param head where to begin; its pages must not change meanwhile
 * @throws DamagedPagesError at the first fault, and what the visitor throws
 */
export function checkPages(descriptor: number, head: FileHead, visitor: DatabaseVisitor): void {
  const { free, main, commit, lastPage, pageBytes } = head;
  const file = new PageFile(descriptor, pageBytes);
  const use = new PageUse(lastPage, file.pages);
  const check = (tree: Omit<TreeToCheck, 'headCommit'>): void =>
    new TreeCheck(file, use, { ...tree, headCommit: commit }).run();
  const trees: NamedTree[] = [];
  const list = (entry: TreeEntry): number => trees.push(namedTreeIn(entry));
  check({ name: tableOfTables, record: main, commit, compare: Buffer.compare, visit: list });
  if (trees.reduce((sum, { record }) => sum + pagesIn(record), 0) > lastPage) {
    throw new DamagedPagesError('the tables are said to have more pages than the file');
  }
  const chosen = visitor.choose(
    trees.map(({ name, record }) => ({ name, bytes: pagesIn(record) * pageBytes })),
  );
  for (const tree of trees) {
    const visit = chosen.has(tree.name) ? visitor.begin(tree.name) : null;
    check({ ...tree, compare: Buffer.compare, visit });
  }
  const takeFree = (entry: TreeEntry): void => checkFreePages(entry, use);
  check({ name: freeList, record: free, commit, compare: compareCommits, visit: takeFree });
}

interface NamedTree {
  readonly name: string;
  readonly record: TreeRecord;
  readonly commit: number;
}

/** A name ends with a zero. */
function namedTreeIn({ key, value, flags, commit }: TreeEntry): NamedTree {
  const name = key.toString('latin1', 0, Math.max(0, key.length - 1));
  const isTree = key.at(-1) === 0 && flags === nodeFlags.tree && value.length === treeRecordBytes;
  const record = isTree ? readTreeRecord(value, 0) : null;
  if (record?.flags === 0) return { name, record, commit };
  throw new DamagedPagesError(`${tableOfTables} has an invalid entry, ${JSON.stringify(name)}`);
}

function pagesIn({ branchPages, leafPages, bigValuePages }: TreeRecord): number {
  return branchPages + leafPages + bigValuePages;
}

/** A key that is not a number is refused when its entry is read. */
function compareCommits(left: Buffer, right: Buffer): number {
  return left.length < 8 || right.length < 8 ? 1 : readCount(left, 0) - readCount(right, 0);
}

/**
 * An entry lists pages that a commit has freed: a count of numbers, and the numbers. A negative number is a count of free
 * pages that begin at the next number. Zeros are gaps.
 * @throws DamagedPagesError
 */
function checkFreePages({ key, value, commit }: TreeEntry, use: PageUse): void {
  if (key.length !== 8 || readCount(key, 0) > commit)
    throw new DamagedPagesError(`${freeList} has an unknown entry`);
  const count = value.length < 8 ? Infinity : readCount(value, 0);
  if ((count + 1) * 8 > value.length) throw new DamagedPagesError(`${freeList} is cut off`);
  for (let index = 1; index <= count; index += 1) {
    const number = Number(value.readBigInt64LE(index * 8));
    if (number > 0) use.take(number, 1, freeList);
    if (number >= 0) continue;
    index += 1;
    if (index > count) throw new DamagedPagesError(`${freeList} is cut off`);
    use.take(Number(value.readBigInt64LE(index * 8)), -number, freeList);
  }
}

/**
 * LMDB uses the head with the later commit. A damaged commit number would turn the store back, so the two heads must be
 * of consecutive commits. A commit is written to the page of its number's last bit. In a copy, the other head is still
 * that of a new file.
 * @returns the newer head. @throws DamagedPagesError
 */
export function checkHeads(descriptor: number): FileHead {
  const heads = readHeads(descriptor).map(checkHead);
  const [older, newer] = heads.sort((left, right) => left.commit - right.commit);
  if (older === undefined || newer === undefined) throw new DamagedPagesError('it has no head');
  const follows = newer.commit - older.commit === 1 || older.commit === 0;
  if (!follows)
    throw new DamagedPagesError(`its heads are of the commits ${older.commit} and ${newer.commit}`);
  if (older.constants !== newer.constants)
    throw new DamagedPagesError('its two heads differ in a field that never changes');
  return newer;
}

function checkHead(head: FileHead | null, page: number): FileHead {
  if (head === null) throw new DamagedPagesError(`the head on page ${page} cannot be read`);
  if (head.page !== page || (head.commit !== 0 && head.commit % 2 !== page)) {
    throw new DamagedPagesError(`the head on page ${page} belongs to another page`);
  }
  return head;
}

interface TreeToCheck {
  /** The name in messages. */
  readonly name: string;
  readonly record: TreeRecord;
  /** The commit of the file's head: no page is newer. */
  readonly headCommit: number;
  /** The newest commit that may have written the tree's root. */
  readonly commit: number;
  readonly compare: (left: Buffer, right: Buffer) => number;
  /** Null: leaf pages are not read. */
  readonly visit: ((entry: TreeEntry) => void) | null;
}

/** The bounds of the keys under a page. */
interface Bounds {
  /** Inclusive; null at the left edge. */
  readonly from: Buffer | null;
  /** Exclusive; null at the right edge. */
  readonly to: Buffer | null;
}

interface Child extends Bounds {
  readonly page: number;
}

/** LMDB's own bound. */
const depthMax = 32;

/**
 * Follows a tree from its root. Each page must be where its parent says, have its own number, be no newer than its
 * parent, and have keys in order and within its parent's bounds. The counts in the tree's record must be right.
 */
class TreeCheck {
  readonly #file: PageFile;
  readonly #use: PageUse;
  readonly #tree: TreeToCheck;
  #branchPages = 0;
  #leafPages = 0;
  #bigValuePages = 0;
  #entries = 0;

  constructor(file: PageFile, use: PageUse, tree: TreeToCheck) {
    this.#file = file;
    this.#use = use;
    this.#tree = tree;
  }

  /** @throws DamagedPagesError at the first fault */
  run(): void {
    const { record, commit } = this.#tree;
    if (record.depth > depthMax) this.#fail(`is ${record.depth} levels deep`);
    if (record.root !== null) this.#page(record.root, 1, commit, { from: null, to: null });
    this.#compare('branch pages', this.#branchPages, record.branchPages);
    this.#compare('leaf pages', this.#leafPages, record.leafPages);
    if (this.#tree.visit === null) return;
    this.#compare('pages of big values', this.#bigValuePages, record.bigValuePages);
    this.#compare('entries', this.#entries, record.entries);
  }

  #compare(what: string, seen: number, recorded: number): void {
    if (seen !== recorded) this.#fail(`has ${seen} ${what}, but its record says ${recorded}`);
  }

  #page(number: number, level: number, commitMax: number, bounds: Bounds): void {
    this.#use.take(number, 1, this.#tree.name);
    const isLeaf = level === this.#tree.record.depth;
    if (isLeaf) this.#leafPages += 1;
    else this.#branchPages += 1;
    if (isLeaf && this.#tree.visit === null) return;
    const page = this.#file.read(number);
    const header = readPageHeader(page);
    this.#checkHeader(header, number, isLeaf ? pageFlags.leaf : pageFlags.branch, commitMax);
    if (isLeaf) this.#leaf(page, header, bounds);
    else this.#branch(page, header, level, bounds);
  }

  #checkHeader(
    { number, flags, commit, offsetsBytes, nodesAt }: DataPageHead,
    at: number,
    kind: number,
    commitMax: number,
  ): void {
    if (number !== at) this.#fail(`has a page at ${at} with the number ${number}`);
    if (flags !== kind) this.#fail(`has page ${at} of kind ${flags}, not ${kind}`);
    if (commit > commitMax) this.#fail(`has page ${at} of commit ${commit}, after ${commitMax}`);
    const isInOrder = offsetsBytes % 2 === 0 && offsetsBytes > 0 && offsetsBytes <= nodesAt;
    if (!isInOrder || nodesAt > this.#file.pageBytes - pageHeaderBytes)
      this.#fail(`has page ${at} cut up wrongly`);
  }

  #branch(page: Buffer, header: DataPageHead, level: number, bounds: Bounds): void {
    for (const child of this.#children(page, header, bounds)) {
      this.#page(child.page, level + 1, header.commit, child);
    }
  }

  /** A child has the keys from its own key (which the first child lacks) to the next child's. */
  *#children(page: Buffer, header: DataPageHead, bounds: Bounds): Generator<Child> {
    let child: Child | null = null;
    for (let at = 0; at < header.offsetsBytes; at += 2) {
      const node = this.#nodeAt(page, header, at);
      const from: Buffer | null = child === null ? bounds.from : this.#keyOf(page, node, header);
      if (child !== null) {
        this.#checkOrder(child.from, from, true, header);
        yield { ...child, to: from };
      }
      child = { page: childOf(page, node), from, to: bounds.to };
    }
    if (child === null) return;
    if (child.from !== bounds.from) this.#checkOrder(child.from, bounds.to, true, header);
    yield child;
  }

  #leaf(page: Buffer, header: DataPageHead, bounds: Bounds): void {
    let before: Buffer | null = bounds.from;
    for (let at = 0; at < header.offsetsBytes; at += 2) {
      const node = this.#nodeAt(page, header, at);
      const key = this.#keyOf(page, node, header);
      this.#checkOrder(before, key, at > 0, header);
      before = key;
      this.#entries += 1;
      const flags = page.readUInt16LE(node + nodeFlagsAt);
      const value = this.#valueOf(page, node, key, header);
      this.#tree.visit?.({ key, value, flags, commit: header.commit });
    }
    this.#checkOrder(before, bounds.to, true, header);
  }

  /** @returns the offset of a node in the page */
  #nodeAt(page: Buffer, { number, nodesAt }: DataPageHead, at: number): number {
    const offset = page.readUInt16LE(pageHeaderBytes + at);
    const node = pageHeaderBytes + offset;
    if (offset < nodesAt || node + nodeHeaderBytes > page.length) {
      this.#fail(`has page ${number} with a node outside its area`);
    }
    return node;
  }

  #keyOf(page: Buffer, node: number, { number }: DataPageHead): Buffer {
    const start = node + nodeHeaderBytes;
    const end = start + page.readUInt16LE(node + keyBytesAt);
    if (end > page.length) this.#fail(`has page ${number} with a key beyond its end`);
    return page.subarray(start, end);
  }

  #checkOrder(
    before: Buffer | null,
    after: Buffer | null,
    isStrict: boolean,
    { number }: DataPageHead,
  ): void {
    if (before === null || after === null) return;
    const order = this.#tree.compare(before, after);
    if (order > 0 || (isStrict && order === 0)) this.#fail(`has page ${number} with keys out of order`);
  }

  #valueOf(page: Buffer, node: number, key: Buffer, { number }: DataPageHead): Buffer {
    const bytes = page.readUInt32LE(node);
    const isBig = (page.readUInt16LE(node + nodeFlagsAt) & nodeFlags.bigValue) !== 0;
    const start = node + nodeHeaderBytes + key.length;
    const end = start + (isBig ? bigValueBytes : bytes);
    if (end > page.length) this.#fail(`has page ${number} with a value beyond its end`);
    const value = page.subarray(start, end);
    return isBig ? this.#bigValue(value, bytes) : value;
  }

  #bigValue(reference: Buffer, bytes: number): Buffer {
    const [first, commit, pages] = [
      readCount(reference, 0),
      readCount(reference, 8),
      readCount(reference, 16),
    ];
    // More pages than needed are allowed: a value that shrinks within a transaction keeps the pages of the longer one.
    if (pages < Math.floor((pageHeaderBytes - 1 + bytes) / this.#file.pageBytes) + 1) {
      this.#fail(`has a value of ${bytes} bytes on ${pages} pages`);
    }
    this.#use.take(first, pages, this.#tree.name);
    this.#bigValuePages += pages;
    const content = this.#file.read(first, pages);
    const header = readPageHeader(content);
    // A compact copy gives every page the first commit's number, except these pages.
    const isOfCommit = header.commit === commit || commit === 1;
    const isIt = header.number === first && isOfCommit && header.commit <= this.#tree.headCommit;
    if (!isIt || header.flags !== pageFlags.bigValue || content.readUInt32LE(20) !== pages) {
      this.#fail(`has a value at page ${first} that is another one`);
    }
    return content.subarray(pageHeaderBytes, pageHeaderBytes + bytes);
  }

  #fail(what: string): never {
    throw new DamagedPagesError(`${this.#tree.name} ${what}`);
  }
}

/** The pages of a data file. */
class PageFile {
  readonly pageBytes: number;
  readonly pages: number;
  readonly #descriptor: number;

  constructor(descriptor: number, pageBytes: number) {
    this.#descriptor = descriptor;
    this.pageBytes = pageBytes;
    this.pages = Math.floor(fstatSync(descriptor).size / pageBytes);
  }

  /** @throws DamagedPagesError when the file ends before */
  read(first: number, pages = 1): Buffer {
    if (first + pages > this.pages) {
      throw new DamagedPagesError(`page ${first + pages - 1} is missing: the file has ${this.pages}`);
    }
    const bytes = Buffer.allocUnsafeSlow(pages * this.pageBytes);
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(this.#descriptor, bytes, at, bytes.length - at, first * this.pageBytes + at);
      if (count === 0) throw new DamagedPagesError(`page ${first} is missing: the file ended`);
      at += count;
    }
    return bytes;
  }
}

const headPages = 2;

/** Each page except the two heads is in at most one tree, or free. */
class PageUse {
  readonly #lastPage: number;
  readonly #taken: Uint8Array;

  /** @param filePages pages in the file: the last free ones may never have been written */
  constructor(lastPage: number, filePages: number) {
    if (lastPage > maxPagesOf(filePages))
      throw new DamagedPagesError(`its last page is ${lastPage}, which is too high for its size`);
    this.#lastPage = lastPage;
    this.#taken = new Uint8Array(Math.floor(lastPage / 8) + 1);
  }

  /** @throws DamagedPagesError on a page that is in use already, or does not exist */
  take(first: number, pages: number, by: string): void {
    if (first < headPages || pages < 1 || first + pages - 1 > this.#lastPage) {
      throw new DamagedPagesError(`${by} names page ${first}, and the last one is ${this.#lastPage}`);
    }
    for (let page = first; page < first + pages; page += 1) {
      const bit = 1 << (page & 7);
      if ((this.#byteOf(page) & bit) !== 0)
        throw new DamagedPagesError(`page ${page} is used twice, by ${by}`);
      this.#taken[page >> 3] = this.#byteOf(page) | bit;
    }
  }

  #byteOf(page: number): number {
    return this.#taken[page >> 3] ?? 0;
  }
}

/** Bounds the memory of `PageUse` when the number of the last page is damaged. */
function maxPagesOf(filePages: number): number {
  return 2 * filePages + 2 ** 20;
}
