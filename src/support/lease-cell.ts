import { performance } from 'node:perf_hooks';
import { assert } from './assert.ts';
import { monotonicMs } from './monotonic-clock.ts';

/** No lease is longer, in milliseconds: the most that `BURGEE_CLUSTER_LEASE_MS` takes. */
export const leaseMsMax = 60_000;

/** Odd while the bounds are being written, and another number after each time. */
const revisionCell = 0;
/** Each bound in two cells, the upper half first: whole milliseconds need more than 32 bits. */
const monotonicCell = 1;
const wallCell = 3;
const cellCount = 5;
const half = 2 ** 31;
/**
 * The bounds are written in a fraction of a microsecond, so a thread that finds them half written this often need not
 * wait for longer.
 */
const readsMax = 64;
const never = Number.NEGATIVE_INFINITY;
/**
 * Both clocks are compared once in each millisecond of the wall clock, which lasts at most this long by the monotonic one:
 * no daemon slews a clock by more than a tenth. A lease counts as over by so much earlier.
 */
const lookMs = 2;

/** The memory of a `LeaseCell`: no lease yet. */
export function createLeaseMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(cellCount * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Until when a node of a cluster may treat its state as current, in memory that the renewing thread shares with the
 * answering threads.
 *
 * Both clocks bound it. The monotonic clock decides; the wall clock is for a virtual machine whose monotonic clock
 * stood still while it was paused. A wall clock that was set, forwards or back, ends the lease too, until it is renewed.
 */
export class LeaseCell {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  /** The revision that the bounds below are of. */
  #revision = 0;
  /** By `performance.now`: the clock of `monotonicMs`, counted from the start of this thread. It costs less. */
  #untilThreadMs = never;
  #untilWallMs = never;
  /** The millisecond of the wall clock in which the lease was last seen to be valid. */
  #validAtWallMs = never;

  constructor(memory: SharedArrayBuffer) {
    assert(memory.byteLength === cellCount * Int32Array.BYTES_PER_ELEMENT, 'a lease has its cells');
    this.#cells = new Int32Array(memory);
  }

  /**
   * Called for each request, after it has arrived and before anything is read for it: then the state that is read has
   * every change that was acknowledged before the request. Costs a load from memory and a reading of the wall clock; the
   * monotonic clock is read once for each millisecond of the wall clock.
   */
  isValid(): boolean {
    if (Atomics.load(this.#cells, revisionCell) !== this.#revision) this.#read();
    const wallMs = Date.now();
    return wallMs === this.#validAtWallMs || this.#compare(wallMs);
  }

  #compare(wallMs: number): boolean {
    const isValid =
      performance.now() < this.#untilThreadMs - lookMs &&
      wallMs < this.#untilWallMs &&
      wallMs >= this.#untilWallMs - leaseMsMax;
    this.#validAtWallMs = isValid ? wallMs : never;
    return isValid;
  }

  /** @returns for how long it is still valid, in milliseconds; 0: it is not */
  remainingMs(): number {
    if (!this.isValid()) return 0;
    return Math.max(0, Math.min(this.#untilThreadMs - performance.now(), this.#untilWallMs - Date.now()));
  }

  /** Reads both bounds as they were written together; there is no lease while they are being written. */
  #read(): void {
    const cells = this.#cells;
    this.#validAtWallMs = never;
    for (let reads = 0; reads < readsMax; reads += 1) {
      const revision = Atomics.load(cells, revisionCell);
      const untilMonotonicMs = loadBound(cells, monotonicCell);
      const untilWallMs = loadBound(cells, wallCell);
      if ((revision & 1) === 1 || Atomics.load(cells, revisionCell) !== revision) continue;
      this.#revision = revision;
      // In this order: a thread that is stopped between the two clocks finds the lease shorter.
      const threadMs = performance.now();
      this.#untilThreadMs = threadMs + (untilMonotonicMs - monotonicMs());
      this.#untilWallMs = untilWallMs;
      return;
    }
    // The revision stays unchanged, so the next check reads again.
    this.#untilThreadMs = never;
  }

  /**
   * Renews the lease, or begins it. One thread alone writes.
   * @param untilMonotonicMs of `monotonicMs`, at most `leaseMsMax` from now
   * @param untilWallMs Unix milliseconds of the same moment
   */
  renew(untilMonotonicMs: number, untilWallMs: number): void {
    assert(untilMonotonicMs - monotonicMs() <= leaseMsMax, 'no lease is longer than one may be');
    this.#write(untilMonotonicMs, untilWallMs);
  }

  /** From here on there is no lease, for any thread. */
  end(): void {
    this.#write(0, 0);
  }

  #write(untilMonotonicMs: number, untilWallMs: number): void {
    const before = Atomics.add(this.#cells, revisionCell, 1);
    assert((before & 1) === 0, 'one thread writes a lease');
    storeBound(this.#cells, monotonicCell, untilMonotonicMs);
    storeBound(this.#cells, wallCell, untilWallMs);
    Atomics.add(this.#cells, revisionCell, 1);
  }
}

function storeBound(cells: Int32Array<SharedArrayBuffer>, at: number, ms: number): void {
  // Rounded down: a lease is rather too short than too long.
  const whole = Math.floor(ms);
  Atomics.store(cells, at, Math.floor(whole / half));
  Atomics.store(cells, at + 1, whole % half);
}

function loadBound(cells: Int32Array<SharedArrayBuffer>, at: number): number {
  return Atomics.load(cells, at) * half + Atomics.load(cells, at + 1);
}
