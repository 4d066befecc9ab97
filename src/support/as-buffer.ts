/** @returns the same memory: structured cloning makes a plain array of bytes of every Buffer */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
