import { type PackedList, sameText, textLength, textStart } from './packed-list.ts';
import type { SlicedWork, WorkQueue } from './steps.ts';

/** In a list of up to so many entries a scan is faster than hashing the value. */
const scannedMax = 8;
/**
 * An index costs as much as some twenty scans, so it is made after about as many searches. Lists that are dropped and
 * read again cause no more work than the reading does.
 */
const scansBeforeIndex = 16;
/** After this many scans, each further scan makes so many steps of the index: a tenth of a millisecond. */
const patientScans = 32;
const stepsOfScan = 8;
/** Bytes of the objects themselves. */
const overheadBytes = 200;

/** @returns whether `a` and `b[start, end)` are the same bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  if (a.length !== end - start) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[start + at]) return false;
  return true;
}

/**
 * An immutable set of strings that is searched by UTF-8 bytes, so that a request's value need not become a string. It
 * searches the list in the record's bytes and can be used at once: it scans the list until it has an index, which the
 * owner of a queue makes in steps. Requests that search many times before that make the index on their way.
 */
export class ByteSet implements SlicedWork {
  readonly #list: PackedList;
  readonly #queue: WorkQueue | null;
  #index: ListIndex | null = null;
  #indexUnderWay: ListIndex | null = null;
  #scans = 0;
  #isQueued = false;
  /** It has an index, or will have none. */
  #isSettled: boolean;

  /** @param queue makes the index once the set has been searched often */
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

  /** When the queue was full, a later scan tries again. */
  #noteScan(): void {
    this.#scans += 1;
    if (this.#scans < scansBeforeIndex) return;
    if (!this.#isQueued && this.#queue !== null) this.#isQueued = this.#queue.add(this);
    if (this.#scans <= patientScans) return;
    for (let steps = 0; steps < stepsOfScan && this.step(); ) steps += 1;
  }

  /** Memory that stays in use while the queue holds the set. */
  get heldBytes(): number {
    return this.#list.bytes.length;
  }

  /** Makes a step of the index. @returns whether there is more to do */
  step(): boolean {
    if (this.#isSettled) return false;
    this.#indexUnderWay ??= new ListIndex(this.#list);
    if (this.#indexUnderWay.step()) return true;
    if (!this.#indexUnderWay.isRefused) this.#index = this.#indexUnderWay;
    this.#indexUnderWay = null;
    this.#isSettled = true;
    return false;
  }

  /** Whether it has an index, or will have none because it is short. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Bytes that a search of it scans: 0 where it has an index. */
  get scannedBytes(): number {
    return this.#index === null ? this.#list.end - this.#list.start : 0;
  }

  /** Makes the whole index now, for a request that goes on searching. */
  index(): void {
    while (this.step());
  }

  get isIndexed(): boolean {
    return this.#index !== null;
  }

  /** Memory beside the list's own bytes. The index counts before it is made: a set that was admitted never grows. */
  get sizeBytes(): number {
    return overheadBytes + (this.#list.count > scannedMax ? indexBytes(this.#list.count) : 0);
  }
}

/** Cells of one allocation: 64 KiB, so that none takes long, because the operating system has to clear them. */
const segmentBits = 14;
const segmentCells = 2 ** segmentBits;
const segmentMask = segmentCells - 1;
/**
 * A step takes some tens of microseconds: it hashes at most so many bytes, and visits at most so many entries and
 * cells.
 */
const stepBytes = 8 * 1024;
const stepLooks = 512;
/** Cells for each entry, of 4 bytes. */
const cellsPerEntry = 1.5;
/** An entry that finds no free cell within so many was made to collide with others: the list stays without an index. */
const displacementMax = 1024;

/** Differs between threads and between starts, so that nobody can choose values that collide. */
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

/** @returns the memory of the index of a list with so many entries */
function indexBytes(count: number): number {
  return 4 * cellsFor(count);
}

/**
 * A hash table of places in a packed list, made in steps. Each cell has the place of an entry, and in the remaining
 * bits a part of its hash, so that other entries are seldom compared. Open addressing, linear probing.
 */
export class ListIndex {
  readonly #list: PackedList;
  readonly #cells: number;
  /** A hash times this factor is the number of a cell. */
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

  /** Allocates cells, or enters some entries. @returns whether there is more to do */
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

  /** @returns how many cells and entries it visited */
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

  /** @returns whether the list has an entry with these bytes; call it only when there is nothing more to do */
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

  /** Whether the cell's entry is `bytes[start, end)`, whose hash is in `note`. */
  #isNoteOf(cell: number, note: number, bytes: Uint8Array, start: number, end: number): boolean {
    if ((cell ^ note) >>> this.#placeBits !== 0) return false;
    const list = this.#list;
    const entry = list.start + (cell & this.#placeMask) - 1;
    const length = textLength(list.bytes, entry);
    return length === end - start && sameText(list.bytes, textStart(list.bytes, entry), bytes, start, length);
  }
}
