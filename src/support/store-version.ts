import { assert } from './assert.ts';

/**
 * Shows readers in other threads that there was a commit: one cell in shared memory, even between commits and odd
 * during one. It becomes odd before the commit is visible, and even before the commit is acknowledged.
 *
 * So a reader that finds the even value that it knows has missed nothing that another reader may have seen. An odd
 * value shows nothing: the reader must then read the newest snapshot each time, and the change log in it.
 */
export class StoreVersion {
  readonly #cell: Int32Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer) {
    this.#cell = new Int32Array(memory);
  }

  load(): number {
    return Atomics.load(this.#cell, 0);
  }

  /** The value of the newest acknowledged commit: even. */
  settled(): number {
    return this.load() & ~1;
  }

  /** From here on the commit may be visible. */
  begin(): void {
    const before = Atomics.add(this.#cell, 0, 1);
    assert(!isUnsettled(before), 'one commit is on its way at a time');
  }

  /** The commit is durable, or it has failed. */
  end(): void {
    const before = Atomics.add(this.#cell, 0, 1);
    assert(isUnsettled(before), 'a commit that has ended was on its way');
  }
}

export function createStoreVersionMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** Whether a commit is in progress at this value. */
export function isUnsettled(version: number): boolean {
  return (version & 1) === 1;
}
