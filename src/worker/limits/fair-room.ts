import type { KnownAsker } from '../../operations/call.ts';
import { addressLimits } from './address-limiter.ts';
import { createKeyedMemory, giveAmountsOf, KeyedAmounts, type KeyedMemory } from './keyed-amounts.ts';
import type { SharedBudget } from './shared-budget.ts';

/** The part of a room that requests without credentials may use up: members and tokens find the rest. */
export const strangersShare = 0.5;
const kinds = ['asker', 'project', 'organisation', 'address'] as const;
/**
 * What a holder may have, by its kind, of what is free: one token or member a third of the room, one project half, one
 * organisation three fifths, one address a fifth of the part for strangers. However many holders there are, something is
 * left for the next (`hasShare`).
 */
const weights = { asker: 0.5, project: 1, organisation: 1.5, address: 0.25 } as const;

export interface FairRoomOptions {
  /** What all workers hold of the room, and of this, requests without credentials. */
  readonly all: SharedBudget;
  readonly strangers: SharedBudget;
  readonly shares: KeyedMemory;
  /** The worker's place in the pool. */
  readonly place: number;
  /**
   * Whether a hold is counted for its holder. Most are small, or the room is nearly empty: then they count for the process
   * alone, because a holder's key costs more than the hold.
   */
  isCounted(held: number, used: number): boolean;
  /** Whether a hold takes of `all`, too. Otherwise that has been taken before. */
  readonly takesOfAll: boolean;
}

/** A bounded room of the process that holders share: bytes of bodies, requests in flight. */
export class FairRoom {
  readonly #options: FairRoomOptions;
  readonly #amounts: KeyedAmounts;

  constructor(options: FairRoomOptions) {
    this.#options = options;
    this.#amounts = new KeyedAmounts(options.shares, kinds.length, options.place);
  }

  /** For a request whose asker is not known. @param limitKey of its address */
  ofStranger(limitKey: string): FairHold {
    const { all, strangers, takesOfAll } = this.#options;
    const pools = takesOfAll ? [all, strangers] : [strangers];
    return new FairHold(pools, strangers, this.#options, this.#amounts, 0, () =>
      addressLimits(limitKey, weights.address).map(({ key, limit }) => this.#share('address', key, limit)),
    );
  }

  /** For a request whose asker is known. @param leastMax what a holder may have however little is free */
  ofAsker({ asker, project, organisation }: KnownAsker, leastMax: number): FairHold {
    const { all, takesOfAll } = this.#options;
    return new FairHold(takesOfAll ? [all] : [], all, this.#options, this.#amounts, leastMax, () => [
      this.#share('asker', asker, weights.asker),
      ...(project === null ? [] : [this.#share('project', project, weights.project)]),
      ...(organisation === null ? [] : [this.#share('organisation', organisation, weights.organisation)]),
    ]);
  }

  #share(kind: (typeof kinds)[number], name: string, weight: number): Share {
    return { cell: this.#amounts.cellOf(kinds.indexOf(kind), name), weight };
  }
}

/** A holder's share: what it has is counted in a cell, and may be `weight` times what is free. */
interface Share {
  readonly cell: number;
  readonly weight: number;
}

/** What one request has of a room. */
export class FairHold {
  readonly #pools: readonly SharedBudget[];
  readonly #free: SharedBudget;
  readonly #options: FairRoomOptions;
  readonly #amounts: KeyedAmounts;
  readonly #leastMax: number;
  readonly #makeShares: () => readonly Share[];
  /** Null until the hold is counted for its holder. */
  #shares: readonly Share[] | null = null;
  #held = 0;

  /** @param free whose free part is shared. @param makeShares called once, when the hold is counted */
  constructor(
    pools: readonly SharedBudget[],
    free: SharedBudget,
    options: FairRoomOptions,
    amounts: KeyedAmounts,
    leastMax: number,
    makeShares: () => readonly Share[],
  ) {
    this.#pools = pools;
    this.#free = free;
    this.#options = options;
    this.#amounts = amounts;
    this.#leastMax = leastMax;
    this.#makeShares = makeShares;
  }

  /** @returns whether there was room; then `give` must follow */
  take(amount: number): boolean {
    const free = this.#free.free;
    const full = this.#pools.findIndex((pool) => !pool.take(amount));
    const isTaken = full < 0 && this.#takeShares(amount, free);
    if (isTaken) this.#held += amount;
    else for (const pool of full < 0 ? this.#pools : this.#pools.slice(0, full)) pool.give(amount);
    return isTaken;
  }

  #takeShares(wanted: number, free: number): boolean {
    const held = this.#held + wanted;
    if (this.#shares === null && !this.#options.isCounted(held, this.#options.all.used)) return true;
    // What was taken before is counted now, too.
    const amount = this.#shares === null ? held : wanted;
    const shares = this.#shares ?? this.#makeShares();
    const full = shares.findIndex(
      ({ cell, weight }) => !this.#amounts.take(cell, amount, Math.max(this.#leastMax, weight * free)),
    );
    if (full < 0) this.#shares = shares;
    else for (const { cell } of shares.slice(0, full)) this.#amounts.give(cell, amount);
    return full < 0;
  }

  give(amount: number): void {
    for (const pool of this.#pools) pool.give(amount);
    for (const { cell } of this.#shares ?? []) this.#amounts.give(cell, amount);
    this.#held -= amount;
  }

  /** Gives back all that it has. */
  end(): void {
    if (this.#held > 0) this.give(this.#held);
  }
}

/** The part of a room for requests without credentials. */
export function strangersMax(max: number): number {
  return Math.floor(max * strangersShare);
}

/** @param places of the pool, with those of spares */
export function createFairShares(places: number, seed: SharedArrayBuffer): KeyedMemory {
  return createKeyedMemory(places, kinds.length, seed);
}

/** Gives back what the worker at a place held: its thread has ended. */
export function giveSharesOf(memory: KeyedMemory, place: number): void {
  giveAmountsOf(memory, kinds.length, place);
}
