import { indexBytes, ListIndex } from './list-index.ts';
import { type PackedList, sameText, textLength, textStart } from './packed-list.ts';
import type { SlicedWork, WorkQueue } from './sliced-work.ts';

/** Up to so many entries are looked through sooner than a value is hashed. */
const scannedMax = 8;
/** An index costs as much as some ten scans: it is made for what is asked for again. */
const scansBeforeIndex = 2;
/** Of the objects themselves. */
const overheadBytes = 200;

/** @returns whether `a` and `b[start, end)` are the same bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  if (a.length !== end - start) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[start + at]) return false;
  return true;
}

/**
 * An immutable set of strings that is asked by UTF-8 bytes, so that a request's value never has to become a string. It
 * searches the list in the bytes that hold it, and can be asked at once: it is looked through until it has an index, which
 * a queue's owner makes in steps.
 */
export class ByteSet implements SlicedWork {
  readonly #list: PackedList;
  /** Null: it is never indexed. */
  readonly #queue: WorkQueue | null;
  #index: ListIndex | null = null;
  #indexUnderWay: ListIndex | null = null;
  #scansLeft = scansBeforeIndex;

  /** @param queue takes the making of the index once the set is asked for again; null: it is always looked through */
  constructor(list: PackedList, queue: WorkQueue | null) {
    this.#list = list;
    this.#queue = list.count > scannedMax ? queue : null;
  }

  has(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#index !== null) return this.#index.has(bytes, start, end);
    if (this.#queue !== null) this.#noteScan(this.#queue);
    return this.#scan(bytes, start, end - start);
  }

  #scan(sought: Uint8Array, start: number, length: number): boolean {
    const { bytes, end } = this.#list;
    for (let at = this.#list.start; at < end; ) {
      const token = bytes[at] as number;
      const isShort = token < 0xc0;
      const entryLength = isShort ? token & 0x1f : textLength(bytes, at);
      const text = isShort ? at + 1 : textStart(bytes, at);
      if (entryLength === length && sameText(bytes, text, sought, start, length)) return true;
      at = text + entryLength;
    }
    return false;
  }

  /** A full queue is asked again by a later scan. */
  #noteScan(queue: WorkQueue): void {
    if (this.#scansLeft > 0) this.#scansLeft -= 1;
    if (this.#scansLeft === 0 && queue.add(this)) this.#scansLeft = -1;
  }

  /** What the queue holds back by holding the set. */
  get heldBytes(): number {
    return this.#list.bytes.length;
  }

  /** Goes on with the index. @returns whether there is more to do */
  step(): boolean {
    this.#indexUnderWay ??= new ListIndex(this.#list);
    if (this.#indexUnderWay.step()) return true;
    if (!this.#indexUnderWay.isRefused) this.#index = this.#indexUnderWay;
    this.#indexUnderWay = null;
    return false;
  }

  get isIndexed(): boolean {
    return this.#index !== null;
  }

  /** Memory beside the list's own bytes, the index counted whether it is there yet or not: a set that was let in never grows. */
  get sizeBytes(): number {
    return overheadBytes + (this.#queue === null ? 0 : indexBytes(this.#list.count));
  }
}
