import type { OpenLoopConnection } from './open-loop-connection.ts';

/**
 * The connections without a request under way. They are taken in the order in which they became free, so that all are
 * used.
 */
export class FreeConnections {
  readonly #ring: (OpenLoopConnection | undefined)[];
  #first = 0;
  #count = 0;
  /** Since when at least one has always been free, by `performance.now()`; meaningless while none is. */
  sinceMs = 0;

  /** @param connectionsMax how many connections there are */
  constructor(connectionsMax: number) {
    this.#ring = new Array<OpenLoopConnection | undefined>(connectionsMax);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  give(connection: OpenLoopConnection, nowMs: number): void {
    if (this.#count === this.#ring.length) throw new Error('more connections than there are');
    if (this.#count === 0) this.sinceMs = nowMs;
    this.#ring[(this.#first + this.#count) % this.#ring.length] = connection;
    this.#count += 1;
  }

  /** @returns undefined when none is free */
  take(): OpenLoopConnection | undefined {
    if (this.#count === 0) return undefined;
    const connection = this.#ring[this.#first];
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#ring.length;
    this.#count -= 1;
    return connection;
  }

  /** Removes a closed connection; the others keep their order. */
  remove(connection: OpenLoopConnection): void {
    const { sinceMs } = this;
    for (let left = this.#count; left > 0; left -= 1) {
      const free = this.take();
      if (free !== undefined && free !== connection) this.give(free, sinceMs);
    }
    this.sinceMs = sinceMs;
  }
}
