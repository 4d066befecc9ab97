/** All copies with one flipped bit. */
export function* flippedBits(bytes: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flipped = Buffer.from(bytes);
    flipped[bit >>> 3] = (flipped[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
    yield flipped;
  }
}

/** All copies without an end part, beginning with the empty one. */
export function* cutShort(bytes: Buffer): Generator<Buffer> {
  for (let length = 0; length < bytes.length; length += 1) yield bytes.subarray(0, length);
}
