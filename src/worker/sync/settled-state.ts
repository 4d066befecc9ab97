import type { PinnedSnapshot, StoreReader } from '../../storage/store-reader.ts';
import { isUnsettled, type StoreVersion } from '../../support/store-version.ts';

/** How often it is looked whether the commit that a state may contain is on disk. A commit takes milliseconds. */
const settleEveryMs = 1;

/**
 * A pinned state of the store. It is settled when all of it is on disk: what a power failure could still undo is told to
 * nobody who would name its number later, because the number would then be given again.
 */
export class PinnedState {
  readonly history: string;
  /** The number of its last change. */
  readonly number: number;
  readonly snapshot: PinnedSnapshot;
  readonly #version: StoreVersion;
  readonly #stamp: number;
  #holders = 1;

  /** The reader has just been moved to the newest state. */
  constructor(reader: StoreReader, version: StoreVersion) {
    this.snapshot = reader.pin();
    this.history = this.snapshot.sync.history();
    this.number = this.snapshot.sync.number();
    // Read after the snapshot was taken: it contains no commit that begins later.
    this.#stamp = version.load();
    this.#version = version;
  }

  get isSettled(): boolean {
    return !isUnsettled(this.#stamp) || this.#version.load() !== this.#stamp;
  }

  /** Calls back once it is settled: at once, or within a commit. */
  whenSettled(settled: () => void): void {
    if (this.isSettled) settled();
    else setTimeout(() => this.whenSettled(settled), settleEveryMs);
  }

  /** One more holder: `release` is to be called once more. */
  retain(): this {
    this.#holders += 1;
    return this;
  }

  /** Until the last holder has released it, the file grows with every change. */
  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.snapshot.release();
  }
}
