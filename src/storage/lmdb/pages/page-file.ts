import { fstatSync, readSync } from 'node:fs';

/** The data file is not what LMDB writes. The message names the fault and the page. */
export class DamagedPagesError extends Error {
  override readonly name = 'DamagedPagesError';
}

/** The pages of a data file, read without lmdb: a read of a damaged mapped page can crash the process. */
export class PageFile {
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

/** The use of the file's pages: each page, but for the two heads, is in exactly one tree, or free. */
export class PageUse {
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

const headPages = 2;

/** A file that is shorter than its last page may have lost only free pages: a commit takes them only to write them. */
function maxPagesOf(filePages: number): number {
  return 2 * filePages + 2 ** 20;
}
