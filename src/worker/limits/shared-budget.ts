import { assert } from '../../support/assert.ts';

/**
 * Bounds what all workers together hold of one thing: requests, bytes, snapshots. The first cell of its memory is the
 * sum. After it each place of the pool has a cell of its own, so that what a dead worker held can be given back.
 */
export class SharedBudget {
  readonly #cells: BigInt64Array<SharedArrayBuffer>;
  readonly #own: number;
  readonly #max: bigint;

  /** @param place of the worker in the pool, from 0 on. @param max of all workers together */
  constructor(memory: SharedArrayBuffer, place: number, max: number) {
    this.#cells = new BigInt64Array(memory);
    this.#own = place + 1;
    this.#max = BigInt(max);
    assert(place >= 0 && this.#own < this.#cells.length, 'a budget has a cell for each place of the pool');
    assert(max >= 0, 'a budget is not below zero');
  }

  /** The sum of all workers. */
  get used(): number {
    return Number(Atomics.load(this.#cells, sumCell));
  }

  /** What is left of the bound. */
  get free(): number {
    return Math.max(0, Number(this.#max) - this.used);
  }

  /** Takes an amount if there is room: the bound is exact. @returns whether there was; then `give` must follow */
  take(amount: number): boolean {
    assert(amount >= 0, 'an amount taken from a budget is not negative');
    const wanted = BigInt(amount);
    if (!addUpTo(this.#cells, sumCell, wanted, this.#max)) return false;
    Atomics.add(this.#cells, this.#own, wanted);
    return true;
  }

  /** Takes an amount even above the bound. `give` must follow. @returns what is used with it */
  takeAlways(amount: number): number {
    assert(amount >= 0, 'an amount taken from a budget is not negative');
    const before = Atomics.add(this.#cells, sumCell, BigInt(amount));
    Atomics.add(this.#cells, this.#own, BigInt(amount));
    return Number(before) + amount;
  }

  give(amount: number): void {
    const given = BigInt(amount);
    assert(amount >= 0, 'an amount given back to a budget is not negative');
    const held = Atomics.sub(this.#cells, this.#own, given);
    assert(held >= given, 'a worker gives back no more than it holds');
    const used = Atomics.sub(this.#cells, sumCell, given);
    assert(used >= given, 'a budget holds what its workers hold');
  }
}

const sumCell = 0;

/**
 * Adds to a sum of all workers, unless it would be more than `max` then. It is never too high, not even for a moment:
 * another worker would be refused although there is room.
 * @returns whether it was added
 */
export function addUpTo(
  cells: BigInt64Array<SharedArrayBuffer>,
  cell: number,
  wanted: bigint,
  max: bigint,
): boolean {
  for (let sum = Atomics.load(cells, cell); sum + wanted <= max; ) {
    const found = Atomics.compareExchange(cells, cell, sum, sum + wanted);
    if (found === sum) return true;
    sum = found;
  }
  return false;
}

/** @param places of the pool, with those of spares */
export function createBudgetMemory(places: number): SharedArrayBuffer {
  return new SharedArrayBuffer((places + 1) * BigInt64Array.BYTES_PER_ELEMENT);
}

/** Gives back what the worker at a place held: its thread has ended. */
export function giveBackOf(memory: SharedArrayBuffer, place: number): void {
  const cells = new BigInt64Array(memory);
  assert(place >= 0 && place + 1 < cells.length, 'a budget has a cell for each place of the pool');
  const held = Atomics.exchange(cells, place + 1, 0n);
  assert(held >= 0n, 'an ended worker had given back no more than it held');
  const used = Atomics.sub(cells, sumCell, held);
  assert(used >= held, 'a budget holds what its workers hold');
}

/** @returns what all workers hold together */
export function usedOf(memory: SharedArrayBuffer): number {
  return Number(Atomics.load(new BigInt64Array(memory), sumCell));
}
