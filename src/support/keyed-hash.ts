import { createHash, randomFillSync } from 'node:crypto';

const seedBytes = 16;

/**
 * A secret of each process for its hashes, so that clients cannot choose keys that collide or that fall into one set of
 * a table.
 */
export function createHashSeed(): SharedArrayBuffer {
  const seed = new SharedArrayBuffer(seedBytes);
  randomFillSync(new Uint8Array(seed));
  return seed;
}

/**
 * @param seed from `createHashSeed`. @returns 32 bytes: the same for the same texts on all threads that share the seed
 */
export function keyedHash(seed: Uint8Array, ...texts: readonly string[]): Buffer {
  const hash = createHash('sha256').update(seed);
  for (const text of texts) hash.update(text);
  return hash.digest();
}

/**
 * The first cells of keyed hashes. The last one is remembered: a client is mostly looked up several times in
 * succession, and hashing takes a microsecond.
 */
export class LastHash {
  readonly #hash: (text: string) => Buffer;
  readonly #cells: Int32Array;
  #text: string | null = null;

  /** @param cells of 32 bits, at most eight. @param hash of a text, by `keyedHash` */
  constructor(cells: number, hash: (text: string) => Buffer) {
    this.#cells = new Int32Array(cells);
    this.#hash = hash;
  }

  /** @returns the cells, valid until the next call */
  of(text: string): Int32Array {
    const cells = this.#cells;
    if (text === this.#text) return cells;
    const digest = this.#hash(text);
    for (let cell = 0; cell < cells.length; cell += 1) cells[cell] = digest.readInt32LE(4 * cell);
    this.#text = text;
    return cells;
  }
}
