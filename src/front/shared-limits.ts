import { assert } from '../support/assert.ts';
import { createHashSeed } from '../support/keyed-hash.ts';
import { createWarningMemory } from '../worker/limits/address-finder.ts';
import { createConnectionRoomMemory } from '../worker/limits/connection-room.ts';
import { createFairShares, giveSharesOf } from '../worker/limits/fair-room.ts';
import { createPlaceMemory, givePlacesOf } from '../worker/limits/place-memory.ts';
import { createBudgetMemory, giveBackOf } from '../worker/limits/shared-budget.ts';
import { createStreamShares, giveStreamsOf } from '../worker/limits/stream-room.ts';
import { createWindowMemory } from '../worker/limits/window-limiter.ts';
import {
  type BudgetName,
  budgetNames,
  fairRoomNames,
  placesOf,
  type SharedLimits,
} from '../worker/worker-protocol.ts';

/** A limit that is switched off keeps no addresses. */
const noWindows = 1;

/** The shared memory of every limit of the process. @param isEvaluationLimited whether evaluations have a limit */
export function createSharedLimits(threads: number, isEvaluationLimited: boolean): SharedLimits {
  // The front end holds connections too, while no worker serves.
  const places = placesFor(threads) + 1;
  const budgets = Object.fromEntries(budgetNames.map((name) => [name, createBudgetMemory(places)]));
  const shares = Object.fromEntries(
    fairRoomNames.map((name) => [name, createFairShares(places, createHashSeed())]),
  );
  return {
    budgets: budgets as Record<BudgetName, SharedArrayBuffer>,
    places: {
      longAnswers: createPlaceMemory(placesOf.longAnswers),
      pinnedSnapshots: createPlaceMemory(placesOf.pinnedSnapshots),
    },
    streamShares: createStreamShares(places, createHashSeed()),
    shares: shares as SharedLimits['shares'],
    connectionRoom: createConnectionRoomMemory(),
    managementRate: createWindowMemory(),
    failedAuthentications: createWindowMemory(),
    failedSyncAuthentications: createWindowMemory(),
    consoleRate: createWindowMemory(),
    evaluationRate: isEvaluationLimited ? createWindowMemory() : createWindowMemory(noWindows),
    signInAttempts: {
      accounts: createWindowMemory(),
      addresses: createWindowMemory(),
      pairs: createWindowMemory(),
    },
    forgedHeaderWarning: createWarningMemory(),
    unrecordedDenials: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  };
}

/** Budgets have cells for this many workers beside those that serve. */
const sparePlaces = 8;

/** @returns the places of budgets for this many workers. */
export function placesFor(threads: number): number {
  return threads + sparePlaces;
}

/** Gives each worker its cells of the shared limits, and takes back what an ended worker held. */
export class WorkerPlaces {
  readonly #limits: SharedLimits;
  readonly #free: number[];

  constructor(threads: number, limits: SharedLimits) {
    this.#limits = limits;
    this.#free = Array.from({ length: placesFor(threads) }, (_, place) => place);
  }

  /** @returns undefined when all places are taken */
  take(): number | undefined {
    return this.#free.shift();
  }

  /** @param place of a worker whose thread has ended */
  giveBack(place: number): void {
    const { budgets, places, streamShares, shares } = this.#limits;
    giveStreamsOf(streamShares, place);
    for (const name of fairRoomNames) giveSharesOf(shares[name], place);
    for (const name of budgetNames) giveBackOf(budgets[name], place);
    for (const memory of Object.values(places)) givePlacesOf(memory, place);
    assert(!this.#free.includes(place), 'a place is given back once');
    this.#free.push(place);
  }
}
