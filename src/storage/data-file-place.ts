import { type BigIntStats, statSync } from 'node:fs';
import { dataFileOf } from './environment.ts';
import { StoreError } from './store-error.ts';

/** The data file is not where it was opened. Nothing was written; it may be put back. */
export class DataFileMovedError extends StoreError {}

/**
 * Where the data file lay when it was opened. An open file can be written to whatever becomes of its name: what is
 * written to one that was removed, or replaced by another, is gone when the process ends.
 */
export class DataFilePlace {
  readonly #path: string;
  readonly #opened: BigIntStats | null;

  /** @param directory whose data file has just been opened */
  constructor(directory: string) {
    this.#path = dataFileOf(directory);
    this.#opened = look(this.#path);
  }

  /** Costs some microseconds. @throws DataFileMovedError when another file lies there, or none */
  requireKept(): void {
    const found = look(this.#path);
    const opened = this.#opened;
    if (found !== null && found.ino === opened?.ino && found.dev === opened.dev) return;
    throw new DataFileMovedError(
      `${this.#path} was moved, removed or replaced while it was in use, so nothing is written. Put it back, or stop ` +
        'this process and start it again on what is there now.',
    );
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
