import { assert } from '../../support/assert.ts';
import { keyedHash } from '../../support/keyed-hash.ts';
import { SharedBudget } from './shared-budget.ts';

/** Projects are counted by a keyed hash: two that fall into one cell share a share. */
const cells = 4096;
/** One project gets at most so much of the streams of the process. */
const projectShare = 0.8;

/** Counts of streams by project: `cells` sums, and as many for each place of the pool, to give back what a dead worker held. */
export interface StreamShareMemory {
  readonly counts: SharedArrayBuffer;
  readonly seed: SharedArrayBuffer;
}

/** Why a stream got no place: all are taken, or the project has its share. */
export type RefusedStream = 'all' | 'project';

/** A worker that opens streams. */
interface StreamHolder {
  readonly limits: {
    readonly budgets: { readonly streams: SharedArrayBuffer };
    readonly streamShares: StreamShareMemory;
  };
  readonly place: number;
  readonly syncStreamsMax: number;
}

/** The places for event streams of programs and browsers, exact for all workers together. */
export class StreamRoom {
  readonly #budget: SharedBudget;
  readonly #counts: Int32Array<SharedArrayBuffer>;
  readonly #seed: Uint8Array<SharedArrayBuffer>;
  readonly #own: number;
  readonly #projectMax: number;

  constructor({ limits, place, syncStreamsMax }: StreamHolder) {
    this.#budget = new SharedBudget(limits.budgets.streams, place, syncStreamsMax);
    this.#counts = new Int32Array(limits.streamShares.counts);
    this.#seed = new Uint8Array(limits.streamShares.seed);
    this.#own = (place + 1) * cells;
    this.#projectMax = Math.max(1, Math.floor(syncStreamsMax * projectShare));
    assert(this.#own + cells <= this.#counts.length, 'each place of the pool has counts of its own');
  }

  /** @returns null: there is room, and `give` must follow; otherwise what was used up */
  take(projectId: string): RefusedStream | null {
    if (!this.#budget.take(1)) return 'all';
    const cell = this.#cellOf(projectId);
    if (Atomics.add(this.#counts, cell, 1) < this.#projectMax) {
      Atomics.add(this.#counts, this.#own + cell, 1);
      return null;
    }
    Atomics.sub(this.#counts, cell, 1);
    this.#budget.give(1);
    return 'project';
  }

  give(projectId: string): void {
    const cell = this.#cellOf(projectId);
    const held = Atomics.sub(this.#counts, this.#own + cell, 1);
    assert(held > 0, 'a worker gives back no more streams than it holds');
    Atomics.sub(this.#counts, cell, 1);
    this.#budget.give(1);
  }

  #cellOf(projectId: string): number {
    return keyedHash(this.#seed, projectId).readUInt32LE(0) % cells;
  }
}

/** @param places of the pool, with those of spares */
export function createStreamShares(places: number, seed: SharedArrayBuffer): StreamShareMemory {
  return { counts: new SharedArrayBuffer((places + 1) * cells * Int32Array.BYTES_PER_ELEMENT), seed };
}

/** Gives back what the worker at a place held: its thread has ended. */
export function giveStreamsOf({ counts }: StreamShareMemory, place: number): void {
  const all = new Int32Array(counts);
  for (let cell = 0; cell < cells; cell += 1) {
    const held = Atomics.exchange(all, (place + 1) * cells + cell, 0);
    if (held !== 0) Atomics.sub(all, cell, held);
  }
}
