import { assert } from './assert.ts';

/**
 * How readers in other threads learn of a commit: one cell in shared memory, even between commits and odd while one is
 * on its way. It turns odd before anybody can see the commit, and even before anybody is told that it was made.
 *
 * So a reader that finds the even value that it knows has missed nothing that another reader may have seen already. An odd
 * value says nothing: the newest snapshot, and what the change log says of it, must be looked at each time.
 */
export class StoreVersion {
  readonly #cell: Int32Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer) {
    this.#cell = new Int32Array(memory);
  }

  load(): number {
    return Atomics.load(this.#cell, 0);
  }

  /** Of the newest commit that was told of: even. */
  settled(): number {
    return this.load() & ~1;
  }

  /** From here on the commit may be seen. */
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

/** Whether a commit was on its way. */
export function isUnsettled(version: number): boolean {
  return (version & 1) === 1;
}
