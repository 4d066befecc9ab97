import { statfsSync } from 'node:fs';
import { monotonicMs } from '../support/monotonic-clock.ts';

/** How long a reading is good for. It costs some microseconds, far less than the commit that it guards. */
const readingAgeMaxMs = 5;

/** Tells whether the data directory's file system has less free than the reserve. */
export class FreeSpace {
  readonly #directory: string;
  readonly reserveBytes: number;
  #readAt = Number.NEGATIVE_INFINITY;
  #isLow = false;

  constructor(directory: string, reserveBytes: number) {
    this.#directory = directory;
    this.reserveBytes = reserveBytes;
  }

  isLow(): boolean {
    const now = monotonicMs();
    if (now - this.#readAt < readingAgeMaxMs) return this.#isLow;
    this.#readAt = now;
    this.#isLow = this.freeBytes() < this.reserveBytes;
    return this.#isLow;
  }

  /** Read afresh. */
  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize;
  }
}
