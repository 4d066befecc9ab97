import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

export interface FileChecksum {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

const chunkBytes = 2 ** 20;

/** Reads the whole file, a chunk at a time. Waits for the disk: for threads and processes that have nothing else to do. */
export function checksumOf(path: string): FileChecksum {
  const descriptor = openSync(path, 'r');
  try {
    const sum = createHash('sha256');
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let bytes = 0;
    for (;;) {
      const read = readSync(descriptor, chunk);
      if (read === 0) return { bytes, sha256: sum.digest('hex') };
      sum.update(chunk.subarray(0, read));
      bytes += read;
    }
  } finally {
    closeSync(descriptor);
  }
}
