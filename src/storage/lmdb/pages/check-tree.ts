import { DamagedPagesError, type PageFile, type PageUse } from './page-file.ts';
import {
  bigValueBytes,
  childOf,
  type DataPageHead,
  keyBytesAt,
  nodeFlags,
  nodeFlagsAt,
  nodeHeaderBytes,
  pageFlags,
  pageHeaderBytes,
  readCount,
  readPageHeader,
  type TreeRecord,
} from './page-format.ts';

/** An entry of a leaf. Key and value are views: a visitor that keeps them copies them. */
export interface TreeEntry {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly flags: number;
  /** The commit that wrote the page: everything that the entry refers to was written by it or earlier. */
  readonly commit: number;
}

export interface TreeToCheck {
  /** The name in messages. */
  readonly name: string;
  readonly record: TreeRecord;
  /** The commit of the head: no page is newer. */
  readonly headCommit: number;
  /** The newest commit that may have written its root. */
  readonly commit: number;
  readonly compare: (left: Buffer, right: Buffer) => number;
  /** Null when leaves need not be read: then only the pages that lead to them are checked. */
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

/**
 * Follows a tree of pages from its root, and checks everything: every page is where its parent says, has its own
 * number, was written no later than its parent, and has keys in order, within the bounds from its parent; and the
 * counts are right.
 *
 * @throws DamagedPagesError at the first fault
 */
export function checkTree(file: PageFile, use: PageUse, tree: TreeToCheck): void {
  new TreeCheck(file, use, tree).run();
}

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

  #compare(what: string, seen: number, said: number): void {
    if (seen !== said) this.#fail(`has ${seen} ${what}, but its record says ${said}`);
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

  /** @returns the offset of a node in the page. */
  #nodeAt(page: Buffer, { number, nodesAt }: DataPageHead, at: number): number {
    const offset = page.readUInt16LE(pageHeaderBytes + at);
    const node = pageHeaderBytes + offset;
    if (offset < nodesAt || node + nodeHeaderBytes > page.length) {
      this.#fail(`has page ${number} with a node outside its place`);
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

  #bigValue(place: Buffer, bytes: number): Buffer {
    const [first, commit, pages] = [readCount(place, 0), readCount(place, 8), readCount(place, 16)];
    // More pages than needed are allowed: a value that shrinks within a transaction stays on the pages of the longer
    // one.
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

/** LMDB's own. */
const depthMax = 32;
