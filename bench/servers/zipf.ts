import type { SeededRandom } from './seeded-random.ts';

/** Draws ranks of a Zipf distribution with exponent 1: rank k is drawn in proportion to 1 / (k + 1). */
export class Zipf {
  /** Sums of the weights up to each rank. */
  readonly #sums: Float64Array;

  /** @param count the number of ranks, which start at 0 */
  constructor(count: number) {
    if (count < 1) throw new RangeError('a Zipf distribution needs a rank');
    this.#sums = new Float64Array(count);
    let sum = 0;
    for (let rank = 0; rank < count; rank += 1) {
      sum += 1 / (rank + 1);
      this.#sums[rank] = sum;
    }
  }

  draw(random: SeededRandom): number {
    const sums = this.#sums;
    let low = 0;
    let high = sums.length - 1;
    const drawn = random.fraction() * (sums[high] as number);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] as number) <= drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
