import { assert } from '../../support/assert.ts';
import { keyedHash } from '../../support/keyed-hash.ts';
import { addressLimits } from './address-limiter.ts';
import { SharedBudget } from './shared-budget.ts';

/**
 * Holders of a kind are counted in so many cells, by a keyed hash: two that fall into one cell share a share. A browser
 * needs no credentials, so its kinds have cells apart from those of programs.
 */
const cells = 4096;
/** One project gets at most so much of the streams of the process. */
const projectShare = 0.8;
/** Browsers get at most so much, whatever the project: programs with tokens always find the rest. */
const browserShare = 0.5;
/** The browsers of one project get at most so much. */
const browserProjectShare = 0.4;
/** The browsers of one address get at most so much. Behind one address may be a whole office. */
const browserAddressShare = 0.05;
const kinds = ['project', 'browsers', 'browserProject', 'browserAddress'] as const;
type Kind = (typeof kinds)[number];
const cellsOfPlace = kinds.length * cells;

/** Counts of streams by their holders: sums, and as many for each place of the pool, to give back what a dead worker held. */
export interface StreamShareMemory {
  readonly counts: SharedArrayBuffer;
  readonly seed: SharedArrayBuffer;
}

/** Why a stream got no place: all are taken, or its project, the browsers or their address have their share. */
export type RefusedStream = 'all' | 'project' | 'browsers' | 'address';

/** Who asks for a stream. */
export interface StreamHolder {
  readonly projectId: string;
  /** The `limitKey` of a browser's address; null: a program, which has a token. */
  readonly browser: string | null;
}

/** A worker that opens streams. */
interface StreamWorker {
  readonly limits: {
    readonly budgets: { readonly streams: SharedArrayBuffer };
    readonly streamShares: StreamShareMemory;
  };
  readonly place: number;
  readonly syncStreamsMax: number;
}

/** A bound that a stream counts for. */
interface Share {
  readonly cell: number;
  readonly max: number;
  readonly refused: RefusedStream;
}

/** The places for event streams of programs and browsers, exact for all workers together. */
export class StreamRoom {
  readonly #budget: SharedBudget;
  readonly #counts: Int32Array<SharedArrayBuffer>;
  readonly #seed: Uint8Array<SharedArrayBuffer>;
  readonly #own: number;
  readonly #max: number;

  constructor({ limits, place, syncStreamsMax }: StreamWorker) {
    this.#budget = new SharedBudget(limits.budgets.streams, place, syncStreamsMax);
    this.#counts = new Int32Array(limits.streamShares.counts);
    this.#seed = new Uint8Array(limits.streamShares.seed);
    this.#own = (place + 1) * cellsOfPlace;
    this.#max = syncStreamsMax;
    assert(this.#own + cellsOfPlace <= this.#counts.length, 'each place of the pool has counts of its own');
  }

  /** @returns null: there is room, and `give` must follow; otherwise what was used up */
  take(holder: StreamHolder): RefusedStream | null {
    if (!this.#budget.take(1)) return 'all';
    const shares = this.#sharesOf(holder);
    const full = shares.findIndex((share) => !this.#takeShare(share));
    if (full < 0) return null;
    for (const share of shares.slice(0, full)) this.#giveShare(share);
    this.#budget.give(1);
    return shares[full]?.refused ?? null;
  }

  give(holder: StreamHolder): void {
    for (const share of this.#sharesOf(holder)) this.#giveShare(share);
    this.#budget.give(1);
  }

  #takeShare({ cell, max }: Share): boolean {
    if (Atomics.add(this.#counts, cell, 1) < max) {
      Atomics.add(this.#counts, this.#own + cell, 1);
      return true;
    }
    Atomics.sub(this.#counts, cell, 1);
    return false;
  }

  #giveShare({ cell }: Share): void {
    const held = Atomics.sub(this.#counts, this.#own + cell, 1);
    assert(held > 0, 'a worker gives back no more streams than it holds');
    Atomics.sub(this.#counts, cell, 1);
  }

  #sharesOf({ projectId, browser }: StreamHolder): readonly Share[] {
    const project = this.#share('project', projectId, this.#part(projectShare), 'project');
    if (browser === null) return [project];
    const ofAddress = addressLimits(browser, this.#part(browserAddressShare));
    return [
      ...ofAddress.map(({ key, limit }) => this.#share('browserAddress', key, limit, 'address')),
      this.#share('browserProject', projectId, this.#part(browserProjectShare), 'browsers'),
      this.#share('browsers', '', this.#part(browserShare), 'browsers'),
      project,
    ];
  }

  #share(kind: Kind, name: string, max: number, refused: RefusedStream): Share {
    const cell = keyedHash(this.#seed, name).readUInt32LE(0) % cells;
    return { cell: kinds.indexOf(kind) * cells + cell, max, refused };
  }

  #part(share: number): number {
    return Math.max(1, Math.floor(this.#max * share));
  }
}

/** @param places of the pool, with those of spares */
export function createStreamShares(places: number, seed: SharedArrayBuffer): StreamShareMemory {
  return {
    counts: new SharedArrayBuffer((places + 1) * cellsOfPlace * Int32Array.BYTES_PER_ELEMENT),
    seed,
  };
}

/** Gives back what the worker at a place held: its thread has ended. */
export function giveStreamsOf({ counts }: StreamShareMemory, place: number): void {
  const all = new Int32Array(counts);
  for (let cell = 0; cell < cellsOfPlace; cell += 1) {
    const held = Atomics.exchange(all, (place + 1) * cellsOfPlace + cell, 0);
    if (held !== 0) Atomics.sub(all, cell, held);
  }
}
