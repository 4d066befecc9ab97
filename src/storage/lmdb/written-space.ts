import { type Root, statsOf } from './environment.ts';

/** Of the path to an entry: a leaf, and the branches above it in the deepest table that fits a map. */
const pagesPerEntry = 6;
/** A page that was split is half full; entries have heads, and branches name pages. */
const fill = 3;
/** Of an entry in LMDB's page, and of its place in the page's index. */
const entryHeadBytes = 16;
/** Of a database and of the list of free pages, at the head of each. */
const basePages = 64;
/** Of the file: a page that is freed takes 8 bytes in the list of free ones. */
const freeListFraction = 1 / 256;

/** What one write transaction has written: enough to say, before its commit, how much disk that can take. */
export class WrittenSpace {
  #entries = 0;
  #bytes = 0;

  /** Of the keys and values that were put in this transaction. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param bytes of key and value; 0 for one that was removed */
  count(bytes: number): void {
    this.#entries += 1;
    this.#bytes += bytes;
  }

  /** For the next transaction. */
  reset(): void {
    this.#entries = 0;
    this.#bytes = 0;
  }

  /**
   * LMDB writes a page that it changes to another place. So a commit takes at most what is new, and a copy of each page
   * on the way to what was changed, which is never more than the whole file. The truth is mostly a small part of it.
   * @returns bytes that the data file can grow by. Within the transaction, or outside of it with nothing written.
   */
  growthMax(root: Root): number {
    if (this.#entries === 0) return 0;
    const { pageSize, lastPageNumber } = statsOf(root);
    const fileBytes = (lastPageNumber + 1) * pageSize;
    const copied = Math.min(fileBytes, this.#entries * pagesPerEntry * pageSize);
    const added = fill * (this.#bytes + this.#entries * entryHeadBytes);
    return copied + added + basePages * pageSize + Math.ceil(fileBytes * freeListFraction);
  }
}
