/** @returns the same memory: structured cloning turns every Buffer into a plain `Uint8Array` */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
