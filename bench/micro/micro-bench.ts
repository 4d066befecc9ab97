/**
 * A batch of operations in one call, because reading the clock costs as much as several operations.
 * @returns a number that depends on every operation's result, so that none can be optimised away
 */
export type MicroRun = () => number;

export interface MicroContender {
  readonly what: string;
  /** Prepares what the operations need. */
  prepare(): { readonly operations: number; readonly run: MicroRun };
}

/** One claim about one small part of Burgee, and what it is measured against. */
export interface MicroBench {
  readonly name: string;
  readonly title: string;
  /** What one operation is: "keys hashed", "flags compiled". */
  readonly operation: string;
  readonly base: string;
  readonly contenders: Readonly<Record<string, MicroContender>>;
  readonly claims: readonly MicroClaim[];
}

/** The bound on operations a second. */
export interface MicroClaim {
  readonly what: string;
  readonly contender: string;
  readonly of: 'ratio' | 'value';
  readonly atLeast: number;
}

/** @returns a batch that does one operation for each item and sums up the results. */
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
