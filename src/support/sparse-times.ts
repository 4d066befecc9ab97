/**
 * Passes each key at most once in an interval, for events that need not be recorded each time. When it remembers too
 * many keys, it forgets the one that passed longest ago.
 */
export class SparseTimes {
  readonly #intervalMs: number;
  readonly #keysMax: number;
  readonly #passedAt = new Map<string, number>();

  constructor(intervalMs: number, keysMax: number) {
    this.#intervalMs = intervalMs;
    this.#keysMax = keysMax;
  }

  /** @param at in milliseconds. @returns whether the key has not passed for an interval: now it has */
  pass(key: string, at: number): boolean {
    const before = this.#passedAt.get(key);
    // A clock that was set back must not keep a key out for longer.
    if (before !== undefined && Math.abs(at - before) < this.#intervalMs) return false;
    this.#passedAt.delete(key);
    const [oldest] = this.#passedAt.keys();
    if (this.#passedAt.size >= this.#keysMax && oldest !== undefined) this.#passedAt.delete(oldest);
    this.#passedAt.set(key, at);
    return true;
  }

  /** The event was not recorded after all: the next one may pass at once. */
  forget(key: string): void {
    this.#passedAt.delete(key);
  }
}
