import { accountNameOf, streamWeights, type Tenant } from '../../support/fair-share.ts';
import { addressLimits } from './address-limiter.ts';
import { createKeyedMemory, giveAmountsOf, KeyedAmounts, type KeyedMemory } from './keyed-amounts.ts';
import { SharedBudget } from './shared-budget.ts';

/** Browsers get at most so much: programs with tokens always find the rest. */
const browserShare = 0.5;
/** The browsers of one address get at most so much. Behind one address may be a whole office. */
const browserAddressShare = 0.05;
/** A browser needs no credentials, so its kinds are counted apart from those of programs. */
const kinds = [
  'project',
  'organisation',
  'browsers',
  'browserProject',
  'browserOrganisation',
  'browserAddress',
] as const;
type Kind = (typeof kinds)[number];

/** Why a stream got no place: all are taken, or its project, organisation, the browsers or their address have their share. */
export const refusedStreams = ['all', 'project', 'organisation', 'browsers', 'address'] as const;
export type RefusedStream = (typeof refusedStreams)[number];

/** Who asks for a stream. */
export interface StreamHolder extends Tenant {
  /** The `limitKey` of a browser's address; null: a program, which has a token. */
  readonly browser: string | null;
}

/** A worker that opens streams. */
interface StreamWorker {
  readonly limits: {
    readonly budgets: { readonly streams: SharedArrayBuffer };
    readonly streamShares: KeyedMemory;
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
  readonly #amounts: KeyedAmounts;
  readonly #max: number;

  constructor({ limits, place, syncStreamsMax }: StreamWorker) {
    this.#budget = new SharedBudget(limits.budgets.streams, place, syncStreamsMax);
    this.#amounts = new KeyedAmounts(limits.streamShares, kinds.length, place);
    this.#max = syncStreamsMax;
  }

  /** @returns null: there is room, and `give` must follow; otherwise what was used up */
  take(holder: StreamHolder): RefusedStream | null {
    const { free } = this.#budget;
    if (!this.#budget.take(1)) return 'all';
    const shares = this.#sharesOf(holder, free);
    const full = shares.findIndex(({ cell, max }) => !this.#amounts.take(cell, 1, max));
    if (full < 0) return null;
    for (const { cell } of shares.slice(0, full)) this.#amounts.give(cell, 1);
    this.#budget.give(1);
    return shares[full]?.refused ?? null;
  }

  give(holder: StreamHolder): void {
    for (const { cell } of this.#sharesOf(holder, 0)) this.#amounts.give(cell, 1);
    this.#budget.give(1);
  }

  /** @param free places before this one is taken */
  #sharesOf(holder: StreamHolder, free: number): readonly Share[] {
    const { projectId, browser } = holder;
    const account = accountNameOf(holder);
    const all = [
      this.#share('project', projectId, streamWeights.project * free, 'project'),
      this.#share('organisation', account, streamWeights.organisation * free, 'organisation'),
    ];
    if (browser === null) return all;
    const browsers = this.#share('browsers', '', this.#part(browserShare), 'browsers');
    const freeOfBrowsers = Math.min(free, browsers.max - this.#amounts.heldIn(browsers.cell));
    const ofAddress = addressLimits(browser, this.#part(browserAddressShare));
    return [
      ...ofAddress.map(({ key, limit }) => this.#share('browserAddress', key, limit, 'address')),
      this.#share('browserProject', projectId, streamWeights.project * freeOfBrowsers, 'browsers'),
      this.#share('browserOrganisation', account, streamWeights.organisation * freeOfBrowsers, 'browsers'),
      browsers,
      ...all,
    ];
  }

  #share(kind: Kind, name: string, max: number, refused: RefusedStream): Share {
    return { cell: this.#amounts.cellOf(kinds.indexOf(kind), name), max, refused };
  }

  #part(share: number): number {
    return Math.max(1, Math.floor(this.#max * share));
  }
}

/** @param places of the pool, with those of spares */
export function createStreamShares(places: number, seed: SharedArrayBuffer): KeyedMemory {
  return createKeyedMemory(places, kinds.length, seed);
}

/** Gives back what the worker at a place held: its thread has ended. */
export function giveStreamsOf(memory: KeyedMemory, place: number): void {
  giveAmountsOf(memory, kinds.length, place);
}
