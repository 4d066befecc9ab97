import { type Root, statsOf } from './environment.ts';

/** Pages on the path to an entry: a leaf, and the branches above it in the deepest table that fits a map. */
const pagesPerEntry = 6;
/** A factor: a page that was split is half full, entries have headers, and branches name pages. */
const fill = 3;
/** Bytes of an entry in LMDB's page, and of its place in the page's index. */
const entryHeadBytes = 16;
/** Pages at the head of each database, and of the list of free pages. */
const basePages = 64;
/** Bytes of the file: a freed page takes 8 bytes in the list of free pages. */
const freeListFraction = 1 / 256;

/** Throws when the disk has no room for the bytes by which the data file can grow. */
export type RequireRoom = (growthMax: number) => void;

/** The writes of one transaction, from which its use of the disk is bounded before its commit. */
export class WrittenSpace {
  #entries = 0;
  #bytes = 0;

  /** How many were put or removed in this transaction. */
  get entries(): number {
    return this.#entries;
  }

  /** Bytes of the keys and values that were put in this transaction. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param bytes of key and value; 0 for a removal */
  count(bytes: number): void {
    this.#entries += 1;
    this.#bytes += bytes;
  }

  /** Resets the counts for the next transaction. */
  reset(): void {
    this.#entries = 0;
    this.#bytes = 0;
  }

  /**
   * LMDB writes a changed page to another place. So a commit takes at most the new content, and a copy of each page on
   * the way to a changed one, which is never more than the whole file. The real growth is mostly a small part of it.
   * @returns bytes by which the data file can grow. Call it within the transaction, or outside of one with nothing
   * written.
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
