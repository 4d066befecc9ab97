import { type PackedList, sameText, textLength, textStart } from './packed-list.ts';
import type { SlicedWork, WorkQueue } from './steps.ts';

/** Up to so many entries are looked through sooner than a value is hashed. */
const scannedMax = 8;
/**
 * An index costs as much as some twenty scans: it is made for what was asked for about as often. A caller that has lists dropped
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

/** Cells of one allocation, so that none of them takes long: 64 KiB, which the operating system has to clear. */
const segmentBits = 14;
const segmentCells = 2 ** segmentBits;
const segmentMask = segmentCells - 1;
/** A step takes some tens of microseconds: its bound on bytes hashed, and on entries and cells looked at. */
const stepBytes = 8 * 1024;
const stepLooks = 512;
/** For each entry so many cells, of 4 bytes. */
const cellsPerEntry = 1.5;
/** An entry that finds no free cell for so long is one of many that were made to collide: the list stays without index. */
const displacementMax = 1024;

/** Differs from thread to thread and from start to start, so that nobody can choose values that collide. */
const [seed = 0] = crypto.getRandomValues(new Uint32Array(1));

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = seed ^ (end - start);
  let at = start;
  for (const last = end - 4; at <= last; at += 4) {
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function cellsFor(count: number): number {
  return Math.ceil(count * cellsPerEntry) + 1;
}

/** @returns the memory of the index of a list of so many entries */
function indexBytes(count: number): number {
  return 4 * cellsFor(count);
}

/**
 * A hash table of the places in a packed list, made in steps. Each cell has the place of an entry, and above it as much of
 * the entry's hash as there is room for, so that other entries are seldom looked at. Open addressing, linear probing.
 */
export class ListIndex {
  readonly #list: PackedList;
  readonly #cells: number;
  /** A hash times this is a cell. */
  readonly #scale: number;
  readonly #placeBits: number;
  readonly #placeMask: number;
  readonly #segments: Int32Array[] = [];
  #at: number;
  /** The list has entries that were made to collide. */
  isRefused = false;

  constructor(list: PackedList) {
    this.#list = list;
    this.#cells = cellsFor(list.count);
    this.#scale = this.#cells / 2 ** 32;
    this.#placeBits = 32 - Math.clz32(list.end - list.start);
    this.#placeMask = 2 ** this.#placeBits - 1;
    this.#at = list.start;
  }

  /** Makes room, or notes some entries. @returns whether there is more to do */
  step(): boolean {
    const left = this.#cells - this.#segments.length * segmentCells;
    if (left > 0) {
      this.#segments.push(new Int32Array(Math.min(left, segmentCells)));
      if (left > segmentCells || this.#list.count > stepLooks) return true;
    }
    const bytesEnd = Math.min(this.#list.end, this.#at + stepBytes);
    for (let looks = 0; this.#at < bytesEnd && looks < stepLooks && !this.isRefused; )
      looks += this.#addNext();
    return this.#at < this.#list.end && !this.isRefused;
  }

  /** @returns how many cells and entries it took */
  #addNext(): number {
    const { bytes, start } = this.#list;
    const text = textStart(bytes, this.#at);
    const end = text + textLength(bytes, this.#at);
    const hash = hashOf(bytes, text, end);
    const note = (hash << this.#placeBits) | (this.#at - start + 1);
    this.#at = end;
    let slot = this.#slotOf(hash);
    for (let looks = 1; looks <= displacementMax; looks += 1) {
      const cell = this.#cell(slot);
      if (cell === 0) {
        (this.#segments[slot >>> segmentBits] as Int32Array)[slot & segmentMask] = note;
        return looks;
      }
      if (this.#isNoteOf(cell, note, bytes, text, end)) return looks;
      slot = slot + 1 === this.#cells ? 0 : slot + 1;
    }
    this.isRefused = true;
    return displacementMax;
  }

  /** @returns whether the list has these bytes as an entry; only once there is nothing more to do */
  has(bytes: Uint8Array, start: number, end: number): boolean {
    const hash = hashOf(bytes, start, end);
    const note = hash << this.#placeBits;
    let slot = this.#slotOf(hash);
    for (;;) {
      const cell = this.#cell(slot);
      if (cell === 0) return false;
      if (this.#isNoteOf(cell, note, bytes, start, end)) return true;
      slot = slot + 1 === this.#cells ? 0 : slot + 1;
    }
  }

  #slotOf(hash: number): number {
    return Math.floor(hash * this.#scale);
  }

  #cell(slot: number): number {
    return (this.#segments[slot >>> segmentBits] as Int32Array)[slot & segmentMask] as number;
  }

  /** Whether the cell's entry is `bytes[start, end)`, whose hash `note` has. */
  #isNoteOf(cell: number, note: number, bytes: Uint8Array, start: number, end: number): boolean {
    if ((cell ^ note) >>> this.#placeBits !== 0) return false;
    const list = this.#list;
    const entry = list.start + (cell & this.#placeMask) - 1;
    const length = textLength(list.bytes, entry);
    return length === end - start && sameText(list.bytes, textStart(list.bytes, entry), bytes, start, length);
  }
}
