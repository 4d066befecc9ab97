import { copiedBytesMax } from '../domain/evaluation/cohort-sets.ts';
import type { EvaluableAudience } from '../domain/evaluation/compiled-audience.ts';
import type { PackedFlag } from '../domain/flag/flag.ts';
import type { RecordSource } from './record-source.ts';
import { beginningOf } from './records/record-codec.ts';

/** A record that was found and not read yet. */
export interface FoundRecord<T> {
  readonly bytes: number;
  /** Its first fields, which are texts. Unverified: a damaged record may give anything. @param count of them */
  begin(count: number): readonly unknown[];
  /** No other read of the store may have happened since it was found. */
  read(): T;
}

/**
 * The reads of evaluation from a view: verified as in `RecordQueries`, but without a string or an array for the items
 * of a list. A result has memory of its own, never the memory map's. Reads throw DamagedRecordError.
 */
export interface EvaluationQueries {
  flag(id: string): FoundRecord<PackedFlag> | undefined;
  audience(id: string): FoundRecord<EvaluableAudience> | undefined;
  /** By name (UTF-8 order), then id. Lazy: consume it without awaiting in between. */
  flagsOf(projectId: string): Iterable<FoundRecord<PackedFlag>>;
}

/** The place of a record, and how it is read. */
export interface RecordPlace<T> {
  readonly source: RecordSource;
  readonly database: 'flags' | 'audiences';
  readonly key: Buffer;
  skim(key: Buffer, bytes: Buffer): T;
}

/** @returns undefined when it does not exist */
export function findRecord<T>({ source, database, key, skim }: RecordPlace<T>): FoundRecord<T> | undefined {
  // In memory of lmdb's that its next read overwrites.
  const found = source.peekBytes(database, key);
  if (found === undefined) return undefined;
  const read = (): T => {
    const copy = memoryFor(database, found.length);
    copy.set(found);
    return skim(key, copy);
  };
  return { bytes: found.length, begin: (count) => beginningOf(found, count), read };
}

/**
 * Lists of a record that is kept refer to its memory, so it gets memory of its own. A flag's short record does not: its
 * short lists are copied out. Separate memory for each of 60,000 flags would be collected every few ms.
 */
function memoryFor(database: RecordPlace<unknown>['database'], bytes: number): Buffer {
  const isPooled = database === 'flags' && bytes <= copiedBytesMax;
  return isPooled ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes);
}
