import { createHash, randomFillSync } from 'node:crypto';
import type { RefusedShare } from '../../evaluator/evaluation-metrics-protocol.ts';
import type { Holder } from '../../evaluator/pin-room.ts';
import { hasShare } from '../../support/fair-share.ts';
import { withLock } from '../../support/shared-lock.ts';

/**
 * Places of which all workers together have so many, each with whom it is counted for.
 *
 *   lock      Int32
 *   owners    Int32, for each place: 0 while it is free, else the place of its worker in the pool, plus 1
 *   keys      Int32, six for each place: 64 bits of a keyed hash of its asker, project and address; zero for none
 *   seed      16 bytes that make the hash this process' own: nobody outside can choose keys that collide
 */
export interface PlaceMemory {
  readonly lock: SharedArrayBuffer;
  readonly owners: SharedArrayBuffer;
  readonly keys: SharedArrayBuffer;
  readonly seed: SharedArrayBuffer;
}

const kinds = ['asker', 'project', 'address'] as const;
/**
 * What one holder may have, of what is free. A project has many tokens, and behind one address may be many clients: one
 * token alone gets at most a third of all places, one project half, one address two thirds.
 */
const weights: readonly number[] = [0.5, 1, 2];
const cellsOfKey = 2;
const cellsOfPlace = kinds.length * cellsOfKey;
const seedBytes = 16;
/** What a look at all places finds: how many of them each kind of the holder has, then what is free. */
const freeCell = kinds.length;
const firstFreeCell = freeCell + 1;
const foundCells = firstFreeCell + 1;
const noneFree = -kinds.length - 1;

export function createPlaceMemory(places: number): PlaceMemory {
  const seed = new SharedArrayBuffer(seedBytes);
  randomFillSync(new Uint8Array(seed));
  const cells = (count: number) => new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT);
  return { lock: cells(1), owners: cells(places), keys: cells(places * cellsOfPlace), seed };
}

/** The places as one worker takes them. Exact over all workers: a holder's share is of what is free in the process. */
export class SharedPlaces {
  readonly #lock: Int32Array<SharedArrayBuffer>;
  readonly #owners: Int32Array<SharedArrayBuffer>;
  readonly #keys: Int32Array<SharedArrayBuffer>;
  readonly #seed: Uint8Array<SharedArrayBuffer>;
  readonly #owner: number;

  /** @param worker its place in the pool, from 0 on */
  constructor(memory: PlaceMemory, worker: number) {
    this.#lock = new Int32Array(memory.lock);
    this.#owners = new Int32Array(memory.owners);
    this.#keys = new Int32Array(memory.keys);
    this.#seed = new Uint8Array(memory.seed);
    this.#owner = worker + 1;
  }

  /** @returns a place, to be given back; or whose share is used up; `all`: no place is free */
  take(holder: Holder): number | RefusedShare {
    const wanted = this.#keysOf(holder);
    const found = new Int32Array(foundCells);
    const place = withLock(this.#lock, 0, () => this.#takeLocked(wanted, found));
    if (place >= 0) return place;
    return kinds[-place - 1] ?? 'all';
  }

  /** Allocates nothing. @returns a place; or, below 0, the kind whose share is used up */
  #takeLocked(wanted: Int32Array, found: Int32Array): number {
    this.#look(wanted, found);
    const free = found[freeCell] as number;
    if (free === 0) return noneFree;
    for (let kind = 0; kind < kinds.length; kind += 1) {
      if (!hasShare(found[kind] as number, free, weights[kind] as number)) return -kind - 1;
    }
    const place = found[firstFreeCell] as number;
    this.#owners[place] = this.#owner;
    this.#keys.set(wanted, place * cellsOfPlace);
    return place;
  }

  give(place: number): void {
    withLock(this.#lock, 0, () => {
      this.#owners[place] = 0;
    });
  }

  /** @param found gets what the holder of these keys has, by kind, and what is free */
  #look(wanted: Int32Array, found: Int32Array): void {
    for (let place = this.#owners.length - 1; place >= 0; place -= 1) {
      if (this.#owners[place] === 0) {
        found[freeCell] = (found[freeCell] as number) + 1;
        found[firstFreeCell] = place;
        continue;
      }
      for (let kind = 0; kind < kinds.length; kind += 1) {
        if (this.#hasKey(place, kind, wanted)) found[kind] = (found[kind] as number) + 1;
      }
    }
  }

  #hasKey(place: number, kind: number, wanted: Int32Array): boolean {
    const cell = kind * cellsOfKey;
    const [low, high] = [wanted[cell] as number, wanted[cell + 1] as number];
    if (low === 0 && high === 0) return false;
    const at = place * cellsOfPlace + cell;
    return this.#keys[at] === low && this.#keys[at + 1] === high;
  }

  #keysOf(holder: Holder): Int32Array {
    const keys = new Int32Array(cellsOfPlace);
    for (const [kind, name] of kinds.entries()) {
      const value = holder[name];
      if (value === null) continue;
      const digest = createHash('sha256').update(this.#seed).update(name).update(value).digest();
      keys[kind * cellsOfKey] = digest.readInt32LE(0);
      keys[kind * cellsOfKey + 1] = digest.readInt32LE(4);
    }
    return keys;
  }
}

/** Gives back what the worker at a place of the pool held: its thread has ended. */
export function givePlacesOf({ lock, owners }: PlaceMemory, worker: number): void {
  const cells = new Int32Array(owners);
  withLock(new Int32Array(lock), 0, () => {
    for (let place = 0; place < cells.length; place += 1) if (cells[place] === worker + 1) cells[place] = 0;
  });
}

/** @returns how many places all workers have taken */
export function usedPlaces({ owners }: PlaceMemory): number {
  return new Int32Array(owners).reduce((used, owner) => used + (owner === 0 ? 0 : 1), 0);
}
