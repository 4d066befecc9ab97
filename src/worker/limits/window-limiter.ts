import { assert } from '../../support/assert.ts';
import { createHashSeed, keyedHash, LastHash } from '../../support/keyed-hash.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { withLock } from '../../support/shared-lock.ts';

/**
 * The windows of one limit, in memory that all workers share: a table of sets, each of `ways` windows. A key belongs to
 * one set; in a full set the least recently seen window is replaced.
 *
 *   locks     Int32, one for a stripe of sets
 *   keys      Int32, four for each window: 128 bits of a keyed hash; all zero when the window was never used
 *   counts    Int32, events of the window
 *   started   Float64, time of its first event, milliseconds of the monotonic clock
 *   seen      Float64, when it was last read
 *   seed      of the hash
 */
export interface WindowMemory {
  readonly locks: SharedArrayBuffer;
  readonly keys: SharedArrayBuffer;
  readonly counts: SharedArrayBuffer;
  readonly started: SharedArrayBuffer;
  readonly seen: SharedArrayBuffer;
  readonly seed: SharedArrayBuffer;
}

const ways = 8;
const keyCells = 4;
const stripes = 256;
/** Room for 100,000 addresses at once, with hardly any set full. Only memory that is used is taken from the system. */
const windowsMax = 2 ** 18;

/** @param windows in the table; rounded up to a power of two, at least one set */
export function createWindowMemory(windows = windowsMax): WindowMemory {
  const count = 2 ** Math.ceil(Math.log2(Math.max(windows, ways)));
  const cells = (each: number): SharedArrayBuffer => new SharedArrayBuffer(count * each);
  return {
    locks: new SharedArrayBuffer(stripes * Int32Array.BYTES_PER_ELEMENT),
    keys: cells(keyCells * Int32Array.BYTES_PER_ELEMENT),
    counts: cells(Int32Array.BYTES_PER_ELEMENT),
    started: cells(Float64Array.BYTES_PER_ELEMENT),
    seen: cells(Float64Array.BYTES_PER_ELEMENT),
    seed: createHashSeed(),
  };
}

export interface WindowLimiterOptions {
  /** The most events in a window; 0 switches the limiter off. */
  readonly limit: number;
  readonly windowMs: number;
  /** A clock that all threads share and that never goes backwards. */
  readonly now: () => number;
}

const defaults = { windowMs: 60_000, now: monotonicMs };

/**
 * Counts events by key in fixed windows, each from the key's first event. All workers use the same memory, so a limit
 * is exact however connections are spread.
 */
export class WindowLimiter {
  readonly #options: WindowLimiterOptions;
  readonly #locks: Int32Array<SharedArrayBuffer>;
  readonly #keys: Int32Array<SharedArrayBuffer>;
  readonly #counts: Int32Array<SharedArrayBuffer>;
  readonly #started: Float64Array<SharedArrayBuffer>;
  readonly #seen: Float64Array<SharedArrayBuffer>;
  readonly #hash: LastHash;
  readonly #setMask: number;

  constructor(memory: WindowMemory, limit: number, options: Partial<WindowLimiterOptions> = {}) {
    this.#options = { ...defaults, limit, ...options };
    this.#locks = new Int32Array(memory.locks);
    this.#keys = new Int32Array(memory.keys);
    this.#counts = new Int32Array(memory.counts);
    this.#started = new Float64Array(memory.started);
    this.#seen = new Float64Array(memory.seen);
    const seed = new Uint8Array(memory.seed);
    this.#hash = new LastHash(keyCells, (key) => keyedHash(seed, key));
    const windows = this.#counts.length;
    const sets = windows / ways;
    this.#setMask = sets - 1;
    assert(sets >= 1 && (sets & (sets - 1)) === 0, 'the sets of a table are a power of two');
    assert(this.#keys.length === windows * keyCells, 'each window has a key');
    assert(this.#started.length === windows && this.#seen.length === windows, 'each window has its times');
    assert(this.#locks.length === stripes, 'each stripe of sets has a lock');
    assert(this.#options.limit >= 0, 'a limit is not below zero');
  }

  /** Counts an event. @returns whether it is within the limit */
  take(key: string): boolean {
    const { limit } = this.#options;
    if (limit === 0) return true;
    return this.#inSet(key, (hash, set, now) => {
      const window = this.#find(hash, set, now) ?? this.#begin(hash, set, now);
      assert(Math.floor(window / ways) === set, 'the window of a key is in its set');
      this.#seen[window] = now;
      if ((this.#counts[window] as number) >= limit) return false;
      this.#counts[window] = (this.#counts[window] as number) + 1;
      return true;
    });
  }

  /** Takes back the count of an event. */
  giveBack(key: string): void {
    this.#inSet(key, (hash, set, now) => {
      const window = this.#find(hash, set, now);
      if (window === null) return;
      this.#counts[window] = Math.max(0, (this.#counts[window] as number) - 1);
    });
  }

  /** @returns whether the window is full, without counting */
  isFull(key: string): boolean {
    const { limit } = this.#options;
    if (limit === 0) return false;
    return this.#inSet(key, (hash, set, now) => {
      const window = this.#find(hash, set, now);
      return window !== null && (this.#counts[window] as number) >= limit;
    });
  }

  /** @returns whole seconds, at least 1, until the key's window ends */
  retryAfterSeconds(key: string): number {
    const { windowMs } = this.#options;
    return this.#inSet(key, (hash, set, now) => {
      const window = this.#find(hash, set, now);
      if (window === null) return 1;
      const leftMs = (this.#started[window] as number) + windowMs - now;
      return Math.max(1, Math.ceil(leftMs / 1000));
    });
  }

  /** Windows that have been used and not replaced. It reads the whole table, so it is for tests and measurements. */
  countWindows(): number {
    let windows = 0;
    for (let window = 0; window < this.#counts.length; window += 1) if (this.#isUsed(window)) windows += 1;
    return windows;
  }

  /** Allocations and the clock's reading come before the lock is taken. */
  #inSet<T>(key: string, section: (hash: Int32Array, set: number, now: number) => T): T {
    const hash = this.#hash.of(key);
    const set = (hash[0] as number) & this.#setMask;
    const now = this.#options.now();
    return withLock(this.#locks, set & (stripes - 1), () => section(hash, set, now));
  }

  #isUsed(window: number): boolean {
    return (this.#seen[window] as number) > 0;
  }

  /** @returns the key's window while it runs; null when there is none, or it is over */
  #find(hash: Int32Array, set: number, now: number): number | null {
    const window = this.#place(hash, set);
    if (window === null) return null;
    return now - (this.#started[window] as number) >= this.#options.windowMs ? null : window;
  }

  #place(hash: Int32Array, set: number): number | null {
    for (let window = set * ways; window < (set + 1) * ways; window += 1) {
      if (this.#isUsed(window) && this.#hasKey(window, hash)) return window;
    }
    return null;
  }

  #hasKey(window: number, hash: Int32Array): boolean {
    for (let cell = 0; cell < keyCells; cell += 1) {
      if (this.#keys[window * keyCells + cell] !== hash[cell]) return false;
    }
    return true;
  }

  /** Begins a window in the key's old slot, or replaces the window of its set that was least recently seen. */
  #begin(hash: Int32Array, set: number, now: number): number {
    const window = this.#place(hash, set) ?? this.#leastSeen(set);
    this.#keys.set(hash, window * keyCells);
    this.#counts[window] = 0;
    this.#started[window] = now;
    return window;
  }

  #leastSeen(set: number): number {
    let least = set * ways;
    for (let window = least + 1; window < (set + 1) * ways; window += 1) {
      if ((this.#seen[window] as number) < (this.#seen[least] as number)) least = window;
    }
    return least;
  }
}
