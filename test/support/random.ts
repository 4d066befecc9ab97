/** Random numbers that a seed repeats. Not for secrets. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number in [min, max], both included. */
  integer(min: number, max: number): number;
  /** @param probability 0 never, 1 always */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[];
  /** Another stream, from this seed and a number. It does not depend on how many numbers this one has given. */
  fork(number: number): Random;
}

const goldenRatio = 0x9e3779b9;

/** splitmix32. @param seed a whole number; its low 32 bits count */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + goldenRatio) | 0;
    return mix(state) / 2 ** 32;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick(items) {
      if (items.length === 0) throw new RangeError('nothing to pick from');
      return items[integer(0, items.length - 1)] as (typeof items)[number];
    },
    shuffle(items) {
      const rest = [...items];
      const shuffled: typeof rest = [];
      while (rest.length > 0) shuffled.push(...rest.splice(integer(0, rest.length - 1), 1));
      return shuffled;
    },
    fork: (number) => createRandom(mix(seed ^ Math.imul(number + 1, goldenRatio))),
  };
}

function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
