import type { SlicedWork } from './sliced-work.ts';

/** Room for what one request may store, with what a record has around it. */
const pieceBytes = (1024 + 64) * 1024;
/** Half of a piece at most is wasted. */
const takenMin = pieceBytes / 2;
const piecesMax = 4;
const pageBytes = 4096;
/** The operating system clears each page when it is written to first, which takes up to 2 µs in a virtual machine. */
const stepPages = 16;

/**
 * Memory whose pages were written to before, for what has to be copied at once: to copy a megabyte takes 30 µs into such
 * memory, and up to a millisecond into fresh memory. There is none until it was asked for the first time.
 */
export class SpareMemory implements SlicedWork {
  readonly heldBytes = 0;
  readonly #ready: Buffer[] = [];
  #next: Buffer | null = null;
  #touched = 0;
  #wanted = 0;

  /** @returns memory for so many bytes, which may be fresh */
  take(length: number): Buffer {
    if (length > pieceBytes || length < takenMin) return Buffer.allocUnsafeSlow(length);
    this.#wanted = piecesMax;
    return this.#ready.pop()?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
  }

  /** Whether `step` has something to do. */
  get isShort(): boolean {
    return this.#ready.length < this.#wanted;
  }

  step(): boolean {
    this.#next ??= Buffer.allocUnsafeSlow(pieceBytes);
    const end = Math.min(pieceBytes, this.#touched + stepPages * pageBytes);
    for (; this.#touched < end; this.#touched += pageBytes) this.#next[this.#touched] = 0;
    if (end === pieceBytes) {
      this.#ready.push(this.#next);
      this.#next = null;
      this.#touched = 0;
    }
    return this.isShort;
  }
}
