import { assert } from '../../support/assert.ts';

const maxCell = 0;
const refusedCell = 1;
const countCell = 2;
const cells = 3;

/**
 * The room for connections: each takes one of the process' file descriptors, so workers and front end count them
 * together.
 */
export class ConnectionCount {
  readonly #cells: Int32Array<SharedArrayBuffer>;

  /** @param memory from `createConnectionCountMemory` */
  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  /**
   * Counts a connection that was opened or closed.
   * @param change 1 or -1. @returns whether there is room for an opened connection
   */
  change(change: number): boolean {
    assert(change === 1 || change === -1, 'one connection is opened or closed');
    const count = Atomics.add(this.#cells, countCell, change) + change;
    assert(count >= 0, 'no more connections are closed than were opened');
    if (change < 0 || count <= Atomics.load(this.#cells, maxCell)) return true;
    Atomics.add(this.#cells, refusedCell, 1);
    return false;
  }

  /** Takes back the connections that an ended worker had counted. */
  forget(connections: number): void {
    Atomics.sub(this.#cells, countCell, connections);
  }

  /** There is no room until it is set. */
  set max(max: number) {
    assert(max >= 1, 'there is room for a connection');
    Atomics.store(this.#cells, maxCell, max);
  }

  get max(): number {
    return Atomics.load(this.#cells, maxCell);
  }

  /** Connections that were refused since the start. */
  get refused(): number {
    return Atomics.load(this.#cells, refusedCell);
  }
}

export function createConnectionCountMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(cells * Int32Array.BYTES_PER_ELEMENT);
}
