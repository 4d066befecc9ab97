/** Gives the same numbers for the same seed on every machine, so that fixtures and loads can be repeated exactly. */
export class SeededRandom {
  #state: number;

  /** @param seeds whole numbers, such as a seed and an index */
  constructor(...seeds: readonly number[]) {
    this.#state = 0x9e3779b9;
    for (const seed of seeds) {
      this.#state = Math.imul(this.#state ^ seed, 0x85ebca6b) | 0;
      this.#next();
    }
  }

  /** A counter whose bits are mixed. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
    bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
    return (bits ^ (bits >>> 16)) >>> 0;
  }

  /** @returns 0 to 1, 1 excluded */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** @returns a whole number from 0 to `bound`, `bound` excluded */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('there is nothing to pick from');
    return value;
  }
}
