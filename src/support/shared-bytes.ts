import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Reads a file into shared memory: sent to another thread, it is not copied. @throws Error when it is cut meanwhile */
export function readSharedFile(path: string): Uint8Array<SharedArrayBuffer> {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(descriptor).size));
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(descriptor, bytes, at, bytes.length - at, null);
      if (read === 0) throw new Error(`${path} became shorter while it was read`);
      at += read;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
