import { assert } from '../../support/assert.ts';
import { type BudgetHolder, budgetOf } from './process-budgets.ts';
import type { SharedBudget } from './shared-budget.ts';

const maxCell = 0;
const refusedCell = 1;

/** A worker or the front end, which holds connections. */
interface ConnectionHolder extends BudgetHolder {
  readonly limits: BudgetHolder['limits'] & { readonly connectionRoom: SharedArrayBuffer };
}

/** The room for connections: each takes one of the process' file descriptors. */
export class ConnectionRoom {
  readonly #connections: SharedBudget;
  readonly #cells: Int32Array<SharedArrayBuffer>;

  constructor(holder: ConnectionHolder) {
    this.#connections = budgetOf(holder, 'connections', Number.MAX_SAFE_INTEGER);
    this.#cells = new Int32Array(holder.limits.connectionRoom);
  }

  /**
   * Counts a connection that was opened or closed.
   * @param change 1 or -1. @returns whether there is room for an opened connection
   */
  change(change: number): boolean {
    assert(change === 1 || change === -1, 'one connection is opened or closed');
    if (change < 0) {
      this.#connections.give(1);
      return true;
    }
    if (this.#connections.takeAlways(1) <= Atomics.load(this.#cells, maxCell)) return true;
    Atomics.add(this.#cells, refusedCell, 1);
    return false;
  }
}

/** There is no room until it is set. */
export function createConnectionRoomMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

export function putConnectionsMax(memory: SharedArrayBuffer, max: number): void {
  assert(max >= 1, 'there is room for a connection');
  Atomics.store(new Int32Array(memory), maxCell, max);
}

/** @returns how many connections were refused since the start */
export function refusedConnections(memory: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(memory), refusedCell);
}
