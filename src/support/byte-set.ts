const encoder = new TextEncoder();

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** @returns whether `a` and `b[start, end)` are the same bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  if (a.length !== end - start) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[start + at]) return false;
  return true;
}

/**
 * An immutable set of strings that is asked by UTF-8 bytes, so that a request's value never has to become a string.
 * Open addressing over one pool of bytes: a list of a hundred thousand cohorts costs little more than its text.
 */
export class ByteSet {
  readonly #pool: Uint8Array;
  /** Two cells an entry: start + 1 and end of its bytes in the pool; a start cell of 0 is empty. */
  readonly #table: Uint32Array;
  readonly #mask: number;

  constructor(values: readonly string[]) {
    let length = 0;
    for (const value of values) length += value.length * 3;
    const pool = new Uint8Array(length);
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(4, values.length * 2)));
    this.#mask = capacity - 1;
    this.#table = new Uint32Array(capacity * 2);
    let used = 0;
    for (const value of values) {
      const end = used + encoder.encodeInto(value, pool.subarray(used)).written;
      const cell = this.#find(pool, used, end, pool);
      if (this.#table[cell] !== 0) continue;
      this.#table[cell] = used + 1;
      this.#table[cell + 1] = end;
      used = end;
    }
    this.#pool = pool.slice(0, used);
  }

  /** The cell of the entry with these bytes, or the empty cell where it would stand. */
  #find(bytes: Uint8Array, start: number, end: number, pool: Uint8Array): number {
    let slot = hashBytes(bytes, start, end) & this.#mask;
    for (;;) {
      const cell = slot * 2;
      const entry = this.#table[cell] as number;
      if (entry === 0) return cell;
      const entryEnd = this.#table[cell + 1] as number;
      if (entryEnd - entry + 1 === end - start && this.#equals(pool, entry - 1, bytes, start, end))
        return cell;
      slot = (slot + 1) & this.#mask;
    }
  }

  #equals(pool: Uint8Array, entryStart: number, bytes: Uint8Array, start: number, end: number): boolean {
    for (let at = start, entry = entryStart; at < end; at += 1, entry += 1) {
      if (bytes[at] !== pool[entry]) return false;
    }
    return true;
  }

  has(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#table[this.#find(bytes, start, end, this.#pool)] !== 0;
  }

  /** Memory it holds, for the cache's bound. */
  get sizeBytes(): number {
    return this.#pool.byteLength + this.#table.byteLength + 200;
  }
}
