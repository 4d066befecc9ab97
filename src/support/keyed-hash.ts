import { createHash, randomFillSync } from 'node:crypto';

const seedBytes = 16;

/**
 * A secret of each process for its hashes, so that nobody can choose keys that collide or that fall into one set of a
 * table.
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
