import { assert } from '../../support/assert.ts';
import { keyedHash } from '../../support/keyed-hash.ts';
import { addUpTo } from './shared-budget.ts';

/**
 * Holders of a kind are counted in so many cells, by a keyed hash: two that fall into one cell share a share.
 */
const cells = 1024;

/** Amounts by their holders: sums, and as many for each place of the pool, to give back what a dead worker held. */
export interface KeyedMemory {
  readonly amounts: SharedArrayBuffer;
  readonly seed: SharedArrayBuffer;
}

/** @param places of the pool, with those of spares. @param kinds of holders */
export function createKeyedMemory(places: number, kinds: number, seed: SharedArrayBuffer): KeyedMemory {
  const count = (places + 1) * kinds * cells;
  return { amounts: new SharedArrayBuffer(count * BigInt64Array.BYTES_PER_ELEMENT), seed };
}

/** What each holder of a shared thing has of it, over all workers. */
export class KeyedAmounts {
  readonly #amounts: BigInt64Array<SharedArrayBuffer>;
  readonly #seed: Uint8Array<SharedArrayBuffer>;
  readonly #own: number;
  readonly #cellsOfPlace: number;

  /** @param place of the worker in the pool, from 0 on. @param kinds the same as in the memory */
  constructor({ amounts, seed }: KeyedMemory, kinds: number, place: number) {
    this.#amounts = new BigInt64Array(amounts);
    this.#seed = new Uint8Array(seed);
    this.#cellsOfPlace = kinds * cells;
    this.#own = (place + 1) * this.#cellsOfPlace;
    assert(place >= 0, 'a worker has a place in the pool');
    assert(
      this.#own + this.#cellsOfPlace <= this.#amounts.length,
      'each place of the pool has amounts of its own',
    );
  }

  /** @param kind from 0 on. @returns where the amount of this holder is counted */
  cellOf(kind: number, name: string): number {
    assert((kind + 1) * cells <= this.#cellsOfPlace, 'the memory has this kind of holder');
    return kind * cells + (keyedHash(this.#seed, name).readUInt32LE(0) % cells);
  }

  /** Counts an amount, if the holder has no more than `max` with it. @returns whether it was; then `give` must follow */
  take(cell: number, amount: number, max: number): boolean {
    assert(amount >= 0, 'an amount is not negative');
    const wanted = BigInt(amount);
    if (!addUpTo(this.#amounts, cell, wanted, BigInt(Math.floor(max)))) return false;
    Atomics.add(this.#amounts, this.#own + cell, wanted);
    return true;
  }

  /** What the holder of a cell has, over all workers. */
  heldIn(cell: number): number {
    return Number(Atomics.load(this.#amounts, cell));
  }

  give(cell: number, amount: number): void {
    const given = BigInt(amount);
    const held = Atomics.sub(this.#amounts, this.#own + cell, given);
    assert(held >= given, 'a worker gives back no more than it holds');
    Atomics.sub(this.#amounts, cell, given);
  }
}

/** Gives back what the worker at a place held: its thread has ended. */
export function giveAmountsOf({ amounts }: KeyedMemory, kinds: number, place: number): void {
  const all = new BigInt64Array(amounts);
  const cellsOfPlace = kinds * cells;
  for (let cell = 0; cell < cellsOfPlace; cell += 1) {
    const held = Atomics.exchange(all, (place + 1) * cellsOfPlace + cell, 0n);
    if (held !== 0n) Atomics.sub(all, cell, held);
  }
}
