import type { Steps } from './steps.ts';
import { touchedMemory } from './touched-memory.ts';

/**
 * Memory that its owner uses for one piece of work after the other. V8 counts an ArrayBuffer towards the next major
 * collection even if it is dropped at once; memory that is used again causes none, and its pages need not be cleared.
 */
export class ScratchMemory {
  readonly #bytesMax: number;
  readonly #pieces: Buffer[] = [];
  #used = 0;

  /** @param bytesMax that are kept between two pieces of work; a longer piece is memory of its own */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Begins the next piece of work: what `take` gave before is overwritten from now on. */
  begin(): void {
    this.#used = 0;
  }

  /** @returns memory that stays as it is until `begin` */
  *take(length: number): Steps<Buffer> {
    const piece = this.#pieces[this.#used];
    if (piece !== undefined && piece.length >= length) {
      this.#used += 1;
      return piece.subarray(0, length);
    }
    const fresh = yield* touchedMemory(length);
    if (this.#keptBytes - (piece?.length ?? 0) + length > this.#bytesMax) return fresh;
    this.#pieces[this.#used] = fresh;
    this.#used += 1;
    return fresh;
  }

  get #keptBytes(): number {
    return this.#pieces.reduce((sum, { length }) => sum + length, 0);
  }
}
