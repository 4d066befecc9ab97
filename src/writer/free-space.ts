import { statfsSync } from 'node:fs';
import { monotonicMs } from '../support/monotonic-clock.ts';

/** How long a reading is good for: writes stop, and come back, this soon after the disk crosses the reserve. */
const readingAgeMaxMs = 250;

/** A commit needs less than this; with more than this free, a failed write has another cause. */
const exhaustedBytes = 16 * 1024 * 1024;

/** Tells whether the data directory's file system has less free than the reserve. */
export class FreeSpace {
  readonly #directory: string;
  readonly #reserveBytes: number;
  #readAt = Number.NEGATIVE_INFINITY;
  #isLow = false;

  constructor(directory: string, reserveBytes: number) {
    this.#directory = directory;
    this.#reserveBytes = reserveBytes;
  }

  isLow(): boolean {
    const now = monotonicMs();
    if (now - this.#readAt < readingAgeMaxMs) return this.#isLow;
    this.#readAt = now;
    this.#isLow = this.#freeBytes() < this.#reserveBytes;
    return this.#isLow;
  }

  /** @returns whether a write can have failed for lack of space, read afresh */
  isExhausted(): boolean {
    return this.#freeBytes() < Math.max(this.#reserveBytes, exhaustedBytes);
  }

  #freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize;
  }
}
