import type { Outcome } from '../../../domain/outcome.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';

/** The clock and randomness of a command, which come in as arguments. */
export interface CommandContext {
  /** Unix milliseconds, one value for the whole command. */
  readonly now: number;
  newId(): string;
}

export interface Decision<Result> {
  /** Empty when nothing changes: then nothing is written. */
  readonly changes: readonly RecordChange[];
  readonly result: Result;
}

/** A pure decision: it reads records, and returns a `Problem`, or the record changes and the answer. */
export type Command<Args, Result> = (
  queries: RecordQueries,
  args: Args,
  context: CommandContext,
) => Outcome<Decision<Result>>;
