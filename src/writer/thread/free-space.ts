import { statfsSync } from 'node:fs';
import { monotonicMs } from '../../support/monotonic-clock.ts';

/** How long a reading stays valid. A reading costs some microseconds, far less than the commit that it guards. */
const readingAgeMaxMs = 5;

/** Free space that the operator's commands leave: half of the smallest reserve. */
const operatorLeavesBytes = 8 * 2 ** 20;

/** The disk has too little free space, and nothing was applied. The message is for the operator. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}

/** Checks whether the file system of the data directory has less free space than the reserve. */
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

  /**
   * The operator's commands, and the rows that a replica applies, may use the reserve, but no more: a write that the disk
   * refuses would end the server.
   * @param growthBytes by which the data file can grow
   * @throws NoRoomError
   */
  requireRoom(growthBytes: number): void {
    const free = this.freeBytes();
    if (growthBytes === 0 || free >= growthBytes + operatorLeavesBytes) return;
    throw new NoRoomError(
      `The disk of ${this.#directory} has ${inMiB(free)} MiB free, and this write may need up to ` +
        `${inMiB(growthBytes + operatorLeavesBytes)} MiB. Nothing was applied. Free some space and try again.`,
    );
  }

  /** Not cached. */
  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize;
  }
}

function inMiB(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
