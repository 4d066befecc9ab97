/**
 * The same operations, done many times in one call: a call of the clock costs as much as several of them.
 * @returns a number that depends on every operation's result, so that none of them can be optimised away
 */
export type MicroRun = () => number;

export interface MicroContender {
  readonly what: string;
  /** Makes everything that the operations need beforehand. */
  prepare(): { readonly operations: number; readonly run: MicroRun };
}

/** One claim about one small piece of the product, and what it is measured against. */
export interface MicroBench {
  readonly name: string;
  readonly title: string;
  /** What one operation is: "keys hashed", "flags compiled". */
  readonly operation: string;
  readonly base: string;
  readonly contenders: Readonly<Record<string, MicroContender>>;
  readonly claims: readonly MicroClaim[];
}

/** Of operations a second. */
export interface MicroClaim {
  readonly what: string;
  readonly contender: string;
  readonly of: 'ratio' | 'value';
  readonly atLeast: number;
}

/** @returns an operation done once with each item, summed up: what most benches are. */
export function overEach<T>(
  items: readonly T[],
  operate: (item: T) => number,
): ReturnType<MicroContender['prepare']> {
  return {
    operations: items.length,
    run: () => {
      let sum = 0;
      for (const item of items) sum = (sum + operate(item)) | 0;
      return sum;
    },
  };
}
