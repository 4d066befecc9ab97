import { ByteSet } from '../../support/byte-set.ts';
import type { PackedList } from '../../support/packed-list.ts';

/** Longer lists stay in the record's bytes, all of which they keep in memory; shorter ones are copied out. */
export const copiedBytesMax = 4096;

/** The lists of one flag as sets: each once, for all environments that inherit it. */
export class CohortSets {
  readonly #sets = new Map<PackedList, ByteSet>();
  readonly #held = new Set<ArrayBufferLike>();
  #setBytes = 0;

  /** @returns null for an empty list */
  setOf(list: PackedList): ByteSet | null {
    if (list.count === 0) return null;
    const known = this.#sets.get(list);
    if (known !== undefined) return known;
    const kept = list.end - list.start > copiedBytesMax ? list : list.copy();
    const set = new ByteSet(kept);
    this.#sets.set(list, set);
    this.#held.add(kept.bytes.buffer);
    this.#setBytes += set.sizeBytes;
    return set;
  }

  /** Memory of the sets and of the bytes that they search in. */
  get sizeBytes(): number {
    let size = this.#setBytes;
    for (const { byteLength } of this.#held) size += byteLength;
    return size;
  }
}
