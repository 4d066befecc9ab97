/**
 * Bucketing, version 1: `h = MurmurHash3_x86_32(seed 0, UTF-8 of flagId + key)`, on when `h < ceil(trafficPercentage ×
 * 2³² / 100)`. No normalisation, no case folding. A key's bucket differs from flag to flag, is the same in every
 * environment and on every node, and raising a percentage only ever adds keys. Pinned forever by
 * test/bucketing-vectors.json.
 */
const c1 = 0xcc9e2d51;
const c2 = 0x1b873593;

function mixBlock(hash: number, block: number): number {
  const k = Math.imul(block, c1);
  const mixed = hash ^ Math.imul((k << 15) | (k >>> 17), c2);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function readBlock(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** Mixes in the last one to three bytes and the total length, and finalises the hash. */
function finish(
  state: number,
  bytes: Uint8Array,
  tailStart: number,
  end: number,
  totalLength: number,
): number {
  let hash = state;
  let tail = 0;
  const left = end - tailStart;
  if (left >= 3) tail ^= (bytes[tailStart + 2] as number) << 16;
  if (left >= 2) tail ^= (bytes[tailStart + 1] as number) << 8;
  if (left >= 1) {
    tail = Math.imul(tail ^ (bytes[tailStart] as number), c1);
    hash ^= Math.imul((tail << 15) | (tail >>> 17), c2);
  }
  hash ^= totalLength;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The hash's state after a prefix, so that a flag's id is hashed once, when the flag is compiled.
 * @param prefix bytes whose length is a multiple of four (flag ids have 20); otherwise the state could not be continued
 */
export function hashPrefix(prefix: Uint8Array): number {
  if (prefix.length % 4 !== 0)
    throw new RangeError(`a resumable prefix has whole blocks, not ${prefix.length} bytes`);
  let hash = 0;
  for (let at = 0; at < prefix.length; at += 4) hash = mixBlock(hash, readBlock(prefix, at));
  return hash;
}

/** @returns the hash (unsigned 32 bits) of a prefix followed by `bytes[start, end)`; allocates nothing. */
export function hashAfterPrefix(
  prefixState: number,
  prefixLength: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let hash = prefixState;
  let at = start;
  for (const blocksEnd = end - 3; at < blocksEnd; at += 4) hash = mixBlock(hash, readBlock(bytes, at));
  return finish(hash, bytes, at, end, prefixLength + end - start);
}

/** MurmurHash3_x86_32 with seed 0 over any bytes. */
export function murmur3(bytes: Uint8Array): number {
  return hashAfterPrefix(0, 0, bytes, 0, bytes.length);
}

/** A key is in the rollout when its hash is below this. @returns 0 to 2³² inclusive */
export function rolloutThreshold(trafficPercentage: number): number {
  return Math.ceil((trafficPercentage * 2 ** 32) / 100);
}
