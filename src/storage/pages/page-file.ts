import { fstatSync, readSync } from 'node:fs';
import { DamagedPagesError } from './damaged-pages-error.ts';

/** Pages of a data file, read without lmdb: a read of a mapped page that is broken can end the process. */
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
