import { type BigIntStats, statSync } from 'node:fs';

/** Device and inode. */
const cells = 2;

/** The memory of a `FilePlace`, for threads to share. */
export function createFilePlaceMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(cells * BigUint64Array.BYTES_PER_ELEMENT);
}

/**
 * Which file lay at a path when it was opened. An open file can be used whatever becomes of its name: what is written to
 * one that was removed, or replaced by another, is gone when the process ends.
 */
export class FilePlace {
  readonly #path: string;
  readonly #file: BigUint64Array<SharedArrayBuffer>;

  constructor(path: string, memory = createFilePlaceMemory()) {
    this.#path = path;
    this.#file = new BigUint64Array(memory);
  }

  /** Notes the file that lies there: it has just been opened. */
  note(): void {
    const found = look(this.#path);
    this.#file.set([found?.dev ?? 0n, found?.ino ?? 0n]);
  }

  /** Whether the file that was noted lies there now. Costs some microseconds. */
  isKept(): boolean {
    const found = look(this.#path);
    const [device, inode] = this.#file;
    return found !== null && found.dev === device && found.ino === inode;
  }
}

/** @returns null for a file that is not there, or that cannot be looked at */
function look(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
}
