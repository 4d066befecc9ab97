import { readFileSync } from 'node:fs';

/** Reads a file into shared memory: sent to another thread, it is not copied. */
export function readSharedFile(path: string): Uint8Array<SharedArrayBuffer> {
  const bytes = readFileSync(path);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
