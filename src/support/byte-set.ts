import { indexBytes, ListIndex } from './list-index.ts';
import { type PackedList, sameText, textLength, textStart } from './packed-list.ts';
import type { SlicedWork, WorkQueue } from './sliced-work.ts';

/** Up to so many entries are looked through sooner than a value is hashed. */
const scannedMax = 8;
/**
 * An index costs as much as some twenty scans: it is made for what was asked for about as often. Whoever has lists dropped
 * and read again makes no more work by that than the reading.
 */
const scansBeforeIndex = 16;
/** Scans after which those that follow make the index on their way, each so many steps of it: a tenth of a millisecond. */
const patientScans = 32;
const stepsOfScan = 8;
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
 * a queue's owner makes in steps. Who asks many times before that, as one request with a thousand attributes can, makes
 * it on the way.
 */
export class ByteSet implements SlicedWork {
  readonly #list: PackedList;
  readonly #queue: WorkQueue | null;
  #index: ListIndex | null = null;
  #indexUnderWay: ListIndex | null = null;
  #scans = 0;
  #isQueued = false;
  /** There is nothing more to make: it has an index, or gets none. */
  #isSettled: boolean;

  /** @param queue takes the making of the index once the set is asked for again */
  constructor(list: PackedList, queue: WorkQueue | null) {
    this.#list = list;
    this.#queue = queue;
    this.#isSettled = list.count <= scannedMax;
  }

  has(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#index !== null) return this.#index.has(bytes, start, end);
    if (!this.#isSettled) this.#noteScan();
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

  /** A queue that was full is asked again by a later scan. */
  #noteScan(): void {
    this.#scans += 1;
    if (this.#scans < scansBeforeIndex) return;
    if (!this.#isQueued && this.#queue !== null) this.#isQueued = this.#queue.add(this);
    if (this.#scans <= patientScans) return;
    for (let steps = 0; steps < stepsOfScan && this.step(); ) steps += 1;
  }

  /** What the queue holds back by holding the set. */
  get heldBytes(): number {
    return this.#list.bytes.length;
  }

  /** Goes on with the index. @returns whether there is more to do */
  step(): boolean {
    if (this.#isSettled) return false;
    this.#indexUnderWay ??= new ListIndex(this.#list);
    if (this.#indexUnderWay.step()) return true;
    if (!this.#indexUnderWay.isRefused) this.#index = this.#indexUnderWay;
    this.#indexUnderWay = null;
    this.#isSettled = true;
    return false;
  }

  get isIndexed(): boolean {
    return this.#index !== null;
  }

  /** Memory beside the list's own bytes, the index counted whether it is there yet or not: a set that was let in never grows. */
  get sizeBytes(): number {
    return overheadBytes + (this.#list.count > scannedMax ? indexBytes(this.#list.count) : 0);
  }
}
