import { assert } from '../support/assert.ts';
import { createWarningMemory } from '../worker/limits/address-finder.ts';
import { createConnectionRoomMemory } from '../worker/limits/connection-room.ts';
import { createBudgetMemory, giveBackOf } from '../worker/limits/shared-budget.ts';
import { createWindowMemory } from '../worker/limits/window-limiter.ts';
import { type BudgetName, budgetNames, type SharedLimits } from '../worker/worker-protocol.ts';

/** A limit that is switched off keeps no addresses. */
const noWindows = 1;

/** The shared memory of every limit of the process. @param isEvaluationLimited whether evaluations have a limit */
export function createSharedLimits(threads: number, isEvaluationLimited: boolean): SharedLimits {
  // The front end holds connections too, while no worker serves.
  const places = placesFor(threads) + 1;
  const budgets = Object.fromEntries(budgetNames.map((name) => [name, createBudgetMemory(places)]));
  return {
    budgets: budgets as Record<BudgetName, SharedArrayBuffer>,
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
    for (const name of budgetNames) giveBackOf(this.#limits.budgets[name], place);
    assert(!this.#free.includes(place), 'a place is given back once');
    this.#free.push(place);
  }
}
