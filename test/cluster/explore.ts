/** A step to another state; null: to one that must not be. */
export interface Step<State> {
  readonly name: string;
  readonly to: State | null;
}

export interface Explored {
  readonly states: number;
  /** The names of the fewest steps to a state that must not be; null: there is none. */
  readonly steps: readonly string[] | null;
}

type Fields = Readonly<Record<string, number>>;

/**
 * Looks at every state that can be reached, nearest first.
 * @param fields every field of a state with how many values it has, from 0 on: their product is below 2^106
 * @param next every step from a state, always in the same order
 */
export function explore<Names extends Fields>(
  fields: Names,
  start: Record<keyof Names, number>,
  next: (state: Record<keyof Names, number>) => Iterable<Step<Record<keyof Names, number>>>,
): Explored {
  const codec = codecOf(fields);
  const found = new FoundStates();
  found.add(codec.encode(start), -1);
  for (let at = 0; at < found.size; at += 1) {
    for (const { name, to } of next(codec.decode(found.code(at)))) {
      if (to === null) return { states: found.size, steps: [...trailTo(at, found, codec, next), name] };
      found.add(codec.encode(to), at);
    }
  }
  return { states: found.size, steps: null };
}

/** The names of the steps are found again by taking them: no state keeps them. */
function trailTo<Names extends Fields>(
  last: number,
  found: FoundStates,
  codec: StateCodec<Record<keyof Names, number>>,
  next: (state: Record<keyof Names, number>) => Iterable<Step<Record<keyof Names, number>>>,
): string[] {
  const names: string[] = [];
  for (let at = last; found.parent(at) >= 0; at = found.parent(at)) {
    const code = codec.encode(codec.decode(found.code(at)));
    for (const { name, to } of next(codec.decode(found.code(found.parent(at))))) {
      if (to === null || !isSame(codec.encode(to), code)) continue;
      names.unshift(name);
      break;
    }
  }
  return names;
}

/** A state as two whole numbers below 2^53. */
type Code = readonly [number, number];

function isSame(one: Code, other: Code): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

interface StateCodec<State> {
  encode(state: State): Code;
  decode(code: Code): State;
}

/**
 * Both functions are made as text: a loop over names that are looked up would take most of the time. What does not fit
 * into its field is a fault of the model.
 */
function codecOf<Names extends Fields>(fields: Names): StateCodec<Record<keyof Names, number>> {
  const sums: [string, string] = ['0', '0'];
  const places: string[] = [];
  const checks: string[] = [];
  let word: 0 | 1 = 0;
  let unit = 1;
  for (const [name, count] of Object.entries(fields)) {
    if (unit * count > 2 ** 53) {
      if (word === 1) throw new RangeError('a state does not fit into two numbers');
      word = 1;
      unit = 1;
    }
    sums[word] += ` + s.${name} * ${unit}`;
    places.push(`${name}: Math.floor(code[${word}] / ${unit}) % ${count}`);
    checks.push(`s.${name} >= 0 && s.${name} < ${count}`);
    unit *= count;
  }
  const refuse = "throw new RangeError('a field has a value that it cannot have: ' + JSON.stringify(s))";
  const encode = new Function('s', `if (!(${checks.join(' && ')})) ${refuse}; return [${sums.join(', ')}];`);
  const decode = new Function('code', `return { ${places.join(', ')} };`);
  return { encode, decode } as unknown as StateCodec<Record<keyof Names, number>>;
}

const firstCapacity = 2 ** 16;

/** States in the order in which they were found, each once: an open hash table over two arrays of numbers. */
class FoundStates {
  #codes = new Float64Array(2 * firstCapacity);
  #parents = new Int32Array(firstCapacity);
  /** Index of a state, and one; 0 is a free place. */
  #places = new Int32Array(2 * firstCapacity);
  size = 0;

  code(index: number): Code {
    return [this.#codes[2 * index] as number, this.#codes[2 * index + 1] as number];
  }

  parent(index: number): number {
    return this.#parents[index] as number;
  }

  add([high, low]: Code, parent: number): void {
    const place = this.#placeOf(high, low);
    if (this.#places[place] !== 0) return;
    this.#codes[2 * this.size] = high;
    this.#codes[2 * this.size + 1] = low;
    this.#parents[this.size] = parent;
    this.size += 1;
    this.#places[place] = this.size;
    if (this.size === this.#parents.length) this.#grow();
  }

  #placeOf(high: number, low: number): number {
    const mask = this.#places.length - 1;
    for (let place = hash(high, low) & mask; ; place = (place + 1) & mask) {
      const index = (this.#places[place] as number) - 1;
      if (index < 0) return place;
      if (this.#codes[2 * index] === high && this.#codes[2 * index + 1] === low) return place;
    }
  }

  #grow(): void {
    const codes = new Float64Array(2 * this.#codes.length);
    codes.set(this.#codes);
    this.#codes = codes;
    const parents = new Int32Array(2 * this.#parents.length);
    parents.set(this.#parents);
    this.#parents = parents;
    this.#places = new Int32Array(2 * this.#places.length);
    for (let index = 0; index < this.size; index += 1) {
      this.#places[this.#placeOf(...this.code(index))] = index + 1;
    }
  }
}

function hash(high: number, low: number): number {
  let mixed = Math.imul(high | 0, 0x9e3779b1) ^ Math.imul((high / 2 ** 32) | 0, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (low | 0), 0xc2b2ae35) ^ Math.imul((low / 2 ** 32) | 0, 0x27d4eb2f);
  mixed ^= mixed >>> 15;
  return (Math.imul(mixed, 0x2c1b3c6d) ^ (mixed >>> 13)) >>> 0;
}
