import type { Outcome } from '../../../domain/problem.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';

/** What a command may use beside the records: the clock and randomness come in as arguments. */
export interface CommandContext {
  /** Unix milliseconds, one value for the whole command. */
  readonly now: number;
  newId(): string;
}

export interface Decision<Result> {
  /** Empty when nothing changes: then nothing at all is written. */
  readonly changes: readonly RecordChange[];
  readonly result: Result;
}

/** A pure decision: records read in; a `Problem`, or the record changes and what to answer, out. */
export type Command<Args, Result> = (
  queries: RecordQueries,
  args: Args,
  context: CommandContext,
) => Outcome<Decision<Result>>;
