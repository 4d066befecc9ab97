import { statSync } from 'node:fs';

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

  /** Notes the file that lies there: it has just been opened. @throws Error of node:fs when it cannot be looked at */
  note(): void {
    const { dev, ino } = statSync(this.#path, { bigint: true });
    this.#file.set([dev, ino]);
  }

  /** @returns null while the file that was noted lies there, else what is wrong. Costs some microseconds. */
  fault(): string | null {
    try {
      const { dev, ino } = statSync(this.#path, { bigint: true });
      return dev === this.#file[0] && ino === this.#file[1] ? null : 'another file lies there';
    } catch (fault) {
      return fault instanceof Error ? fault.message : String(fault);
    }
  }
}
