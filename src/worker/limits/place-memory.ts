import { createHashSeed } from '../../support/keyed-hash.ts';
import { withLock } from '../../support/shared-lock.ts';

/**
 * A fixed number of places for all workers together, each with its holder and the bytes that are kept for it.
 *
 *   lock      Int32
 *   owners    Int32, for each place: 0 while it is free, otherwise its worker's place in the pool, plus 1
 *   bytes     Int32, for each place: bytes that are kept for it; 0 while it is free
 *   keys      Int32, eight for each place: 64 bits of a keyed hash of its asker, project, organisation and address;
 *             zero for none
 *   unread    Int32, for each place: 0 while its client reads, otherwise since when it has not, in seconds of
 *             `monotonicMs` plus 1; -1 once another worker wants the place
 *   seed      of the hash
 */
export interface PlaceMemory {
  readonly lock: SharedArrayBuffer;
  readonly owners: SharedArrayBuffer;
  readonly bytes: SharedArrayBuffer;
  readonly keys: SharedArrayBuffer;
  readonly unread: SharedArrayBuffer;
  readonly seed: SharedArrayBuffer;
}

/** The kinds of holders that a place is counted for, in the order of its keys. */
export const holderKinds = ['asker', 'project', 'organisation', 'address'] as const;
export const cellsOfKey = 2;
export const cellsOfPlace = holderKinds.length * cellsOfKey;
/** Of a place whose client reads. */
export const isRead = 0;
/** Of a place that is not read, and that another worker wants. */
export const isWanted = -1;

export function createPlaceMemory(places: number): PlaceMemory {
  const cells = (count: number) => new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT);
  return {
    lock: cells(1),
    owners: cells(places),
    bytes: cells(places),
    keys: cells(places * cellsOfPlace),
    unread: cells(places),
    seed: createHashSeed(),
  };
}

/** Gives back the places of the worker at a place of the pool: its thread has ended. */
export function givePlacesOf({ lock, owners, bytes, unread }: PlaceMemory, worker: number): void {
  const [cells, byteCells, unreadCells] = [
    new Int32Array(owners),
    new Int32Array(bytes),
    new Int32Array(unread),
  ];
  withLock(new Int32Array(lock), 0, () => {
    for (let place = 0; place < cells.length; place += 1) {
      if (cells[place] !== worker + 1) continue;
      cells[place] = 0;
      byteCells[place] = 0;
      unreadCells[place] = isRead;
    }
  });
}

/** @returns how many places all workers have taken */
export function usedPlaces({ owners }: PlaceMemory): number {
  return new Int32Array(owners).reduce((used, owner) => used + (owner === 0 ? 0 : 1), 0);
}

/** @returns the bytes that are kept for all places together */
export function keptForPlaces({ bytes }: PlaceMemory): number {
  return new Int32Array(bytes).reduce((sum, one) => sum + one, 0);
}
