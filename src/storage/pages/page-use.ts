import { DamagedPagesError } from './damaged-pages-error.ts';

/** Which pages of the file are spoken for: each but the two at its head is in one tree, or free, and only once. */
export class PageUse {
  readonly #lastPage: number;
  readonly #taken: Uint8Array;

  /** @param filePages how many the file has: the last free ones may never have been written */
  constructor(lastPage: number, filePages: number) {
    if (lastPage > maxPagesOf(filePages))
      throw new DamagedPagesError(`its last page is said to be ${lastPage}`);
    this.#lastPage = lastPage;
    this.#taken = new Uint8Array(Math.floor(lastPage / 8) + 1);
  }

  /** @throws DamagedPagesError on a page that is another's, or that cannot be */
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

const headPages = 2;

/** A file that is shorter than its last page has lost free pages at most: a commit takes them only to fill them. */
function maxPagesOf(filePages: number): number {
  return 2 * filePages + 2 ** 20;
}
