import { giveBackOf } from '../worker/limits/shared-budget.ts';
import { givePlacesOf } from '../worker/limits/shared-places.ts';
import { budgetNames, type SharedLimits } from '../worker/worker-protocol.ts';

/** Budgets have cells for so many workers beside those that serve. */
const sparePlaces = 8;

/** Places of budgets for so many workers. */
export function placesFor(threads: number): number {
  return threads + sparePlaces;
}

/** Gives each worker its cells of the limits that all share, and takes back what one that has ended held. */
export class WorkerPlaces {
  readonly #limits: SharedLimits;
  readonly #free: number[];

  constructor(threads: number, limits: SharedLimits) {
    this.#limits = limits;
    this.#free = Array.from({ length: placesFor(threads) }, (_, place) => place);
  }

  /** @returns undefined when every place is taken */
  take(): number | undefined {
    return this.#free.shift();
  }

  /** @param place of a worker whose thread has ended */
  giveBack(place: number): void {
    const { budgets, places } = this.#limits;
    for (const name of budgetNames) giveBackOf(budgets[name], place);
    for (const memory of Object.values(places)) givePlacesOf(memory, place);
    this.#free.push(place);
  }
}
