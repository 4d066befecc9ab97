import { type PackedList, sameText, textLength, textStart } from './packed-list.ts';

/** In a list of up to this many entries a scan is faster than hashing the value. */
const scannedMax = 8;
/** Bytes of the objects themselves. */
const overheadBytes = 200;

/** @returns whether `a` and `b[start, end)` are the same bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  if (a.length !== end - start) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[start + at]) return false;
  return true;
}

/** An index costs about as much as this many scans of the same list. */
const scansMax = 3;

/**
 * An immutable set of strings that is searched by UTF-8 bytes, so that a request's value need not become a string. A short
 * list is scanned. A longer one gets an index of places in the list's bytes, but not for its first few searches: a list
 * that is evicted from the cache before it is searched again never costs an index.
 */
export class ByteSet {
  readonly #list: PackedList;
  #index: ListIndex | null = null;
  #mayIndex: boolean;
  #scans = 0;

  constructor(list: PackedList) {
    this.#list = list;
    this.#mayIndex = list.count > scannedMax;
  }

  has(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#index === null && this.#mayIndex) this.#countScan();
    if (this.#index !== null) return this.#index.has(bytes, start, end);
    return this.#scan(bytes, start, end - start);
  }

  #countScan(): void {
    this.#scans += 1;
    if (this.#scans <= scansMax) return;
    const index = new ListIndex(this.#list);
    this.#mayIndex = false;
    if (!index.isRefused) this.#index = index;
  }

  #scan(sought: Uint8Array, start: number, length: number): boolean {
    const { bytes, end } = this.#list;
    for (let at = this.#list.start; at < end; ) {
      const entryLength = textLength(bytes, at);
      const text = textStart(bytes, at);
      if (entryLength === length && sameText(bytes, text, sought, start, length)) return true;
      at = text + entryLength;
    }
    return false;
  }

  get isIndexed(): boolean {
    return this.#index !== null;
  }

  /** Memory in addition to the list's own bytes, with the index that it may get. */
  get sizeBytes(): number {
    return overheadBytes + (this.#list.count > scannedMax ? indexBytes(this.#list.count) : 0);
  }
}

/** Cells for each entry, of 4 bytes. */
const cellsPerEntry = 1.5;
/** An entry that finds no free cell within this many was made to collide with others: the list stays without an index. */
const displacementMax = 1024;

/** Differs between threads and between starts, so that clients cannot choose values that collide. */
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

/** @returns the bytes of the index of a list with `count` entries */
function indexBytes(count: number): number {
  return 4 * cellsFor(count);
}

/**
 * A hash table of places in a packed list. Each cell has the place of an entry, and in the remaining
 * bits a part of its hash, so that other entries are seldom compared. Open addressing, linear probing.
 */
export class ListIndex {
  readonly #list: PackedList;
  readonly #cells: number;
  /** A hash times this factor is the number of a cell. */
  readonly #scale: number;
  readonly #placeBits: number;
  readonly #placeMask: number;
  readonly #table: Int32Array;
  /** The list has entries that were made to collide. */
  isRefused = false;

  constructor(list: PackedList) {
    this.#list = list;
    this.#cells = cellsFor(list.count);
    this.#scale = this.#cells / 2 ** 32;
    this.#placeBits = 32 - Math.clz32(list.end - list.start);
    this.#placeMask = 2 ** this.#placeBits - 1;
    this.#table = new Int32Array(this.#cells);
    for (let at = list.start; at < list.end && !this.isRefused; ) at = this.#add(at);
  }

  /** Enters the entry at a place. @returns the place of the next one */
  #add(at: number): number {
    const { bytes, start } = this.#list;
    const text = textStart(bytes, at);
    const end = text + textLength(bytes, at);
    const hash = hashOf(bytes, text, end);
    const note = (hash << this.#placeBits) | (at - start + 1);
    let slot = this.#slotOf(hash);
    for (let looks = 1; looks <= displacementMax; looks += 1) {
      const cell = this.#table[slot] as number;
      if (cell === 0) this.#table[slot] = note;
      if (cell === 0 || this.#isNoteOf(cell, note, bytes, text, end)) return end;
      slot = slot + 1 === this.#cells ? 0 : slot + 1;
    }
    this.isRefused = true;
    return end;
  }

  /** @returns whether the list has an entry with these bytes */
  has(bytes: Uint8Array, start: number, end: number): boolean {
    const hash = hashOf(bytes, start, end);
    const note = hash << this.#placeBits;
    let slot = this.#slotOf(hash);
    for (;;) {
      const cell = this.#table[slot] as number;
      if (cell === 0) return false;
      if (this.#isNoteOf(cell, note, bytes, start, end)) return true;
      slot = slot + 1 === this.#cells ? 0 : slot + 1;
    }
  }

  #slotOf(hash: number): number {
    return Math.floor(hash * this.#scale);
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
