/**
 * MurmurHash3_x86_32, written from the public description only for the tests, so that Burgee's own hash is compared
 * with independent code.
 */
export function murmur3Reference(bytes: Uint8Array, seed = 0): number {
  let hash = seed >>> 0;
  const blocks = bytes.length - (bytes.length % 4);
  for (let at = 0; at < blocks; at += 4) {
    hash ^= scramble(littleEndian(bytes, at, 4));
    hash = rotateLeft(hash, 13);
    hash = (Math.imul(hash, 5) + 0xe6546b64) >>> 0;
  }
  hash ^= scramble(littleEndian(bytes, blocks, bytes.length % 4));
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Whether a key is on: `h < ceil(trafficPercentage × 2³² / 100)` of the UTF-8 of flag id and key. */
export function isInRolloutReference(flagId: string, key: string, trafficPercentage: number): boolean {
  const hash = murmur3Reference(Buffer.from(flagId + key, 'utf8'));
  return hash < Math.ceil((trafficPercentage * 2 ** 32) / 100);
}

function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = length - 1; index >= 0; index -= 1) value = (value << 8) | (bytes[at + index] ?? 0);
  return value;
}

function scramble(block: number): number {
  return Math.imul(rotateLeft(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
