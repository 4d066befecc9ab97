import { createWarningMemory } from '../worker/limits/address-finder.ts';
import { createConnectionRoomMemory } from '../worker/limits/connection-room.ts';
import { createBudgetMemory } from '../worker/limits/shared-budget.ts';
import { createPlaceMemory } from '../worker/limits/shared-places.ts';
import { createWindowMemory } from '../worker/limits/window-limiter.ts';
import { type BudgetName, budgetNames, placesOf, type SharedLimits } from '../worker/worker-protocol.ts';
import { placesFor } from './worker-places.ts';

/** A limit that is switched off remembers nobody. */
const noWindows = 1;

/** The memory of every limit of the process. @param isEvaluationLimited whether evaluations have a limit */
export function createSharedLimits(threads: number, isEvaluationLimited: boolean): SharedLimits {
  // The front end has connections too, while no worker takes them.
  const places = placesFor(threads) + 1;
  const budgets = Object.fromEntries(budgetNames.map((name) => [name, createBudgetMemory(places)]));
  return {
    budgets: budgets as Record<BudgetName, SharedArrayBuffer>,
    places: {
      longAnswers: createPlaceMemory(placesOf.longAnswers),
      pinnedSnapshots: createPlaceMemory(placesOf.pinnedSnapshots),
    },
    connectionRoom: createConnectionRoomMemory(),
    managementRate: createWindowMemory(),
    failedAuthentications: createWindowMemory(),
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
