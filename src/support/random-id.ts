import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idLength = 20;
/** Bytes at or above this value would make the first characters more likely, so they are drawn again. */
const fairBytesMax = 256 - (256 % alphabet.length);

const pool = new Uint8Array(4096);
let used = pool.length;

function nextByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++] as number;
}

/** @returns `length` uniformly random characters of `0-9A-Za-z`. */
export function randomAlphanumeric(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = nextByte();
    if (byte < fairBytesMax) text += alphabet[byte % alphabet.length];
  }
  return text;
}

/** @returns a new id of any kind: 20 random characters, about 119 bits, never derived from a name (decisions). */
export function newId(): string {
  return randomAlphanumeric(idLength);
}
