import { statSync } from 'node:fs';
import { messageOf } from './message-of.ts';

/** Device and inode. */
const cells = 2;

/** The shared memory of a `FilePlace`. */
export function createFilePlaceMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(cells * BigUint64Array.BYTES_PER_ELEMENT);
}

/**
 * The identity of the file that lay at a path when it was opened. An open file stays usable when its name is removed or
 * given to another file, but what is written to it is lost when the process ends.
 */
export class FilePlace {
  readonly #path: string;
  readonly #file: BigUint64Array<SharedArrayBuffer>;

  constructor(path: string, memory = createFilePlaceMemory()) {
    this.#path = path;
    this.#file = new BigUint64Array(memory);
  }

  /** Notes the file at the path, which has just been opened. @throws Error of node:fs when it cannot be read */
  note(): void {
    const { dev, ino } = statSync(this.#path, { bigint: true });
    this.#file.set([dev, ino]);
  }

  /** @returns null while the noted file lies at the path, otherwise what is wrong. Costs some microseconds. */
  fault(): string | null {
    try {
      const { dev, ino } = statSync(this.#path, { bigint: true });
      return dev === this.#file[0] && ino === this.#file[1] ? null : 'another file lies there';
    } catch (fault) {
      return messageOf(fault);
    }
  }
}
