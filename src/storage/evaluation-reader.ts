import { copiedBytesMax } from '../domain/evaluation/cohort-sets.ts';
import type { EvaluableAudience } from '../domain/evaluation/compiled-audience.ts';
import type { PackedFlag } from '../domain/flag/flag.ts';
import { finish, type Steps } from '../support/steps.ts';
import { touchedMemory } from '../support/touched-memory.ts';
import type { RecordSource } from './record-source.ts';
import { beginningOf } from './records/record-codec.ts';

/** Records of up to so many bytes are read in one step: some tens of microseconds. */
export const atOnceBytes = 64 * 1024;

/** A record that was found and not read yet. */
export interface FoundRecord<T> {
  readonly bytes: number;
  /** Its first fields, which are texts: not verified, and of a damaged record anything. @param count of them */
  begin(count: number): readonly unknown[];
  /** Reads it at once. Nothing else may have been read from the store since it was found. */
  read(): T;
  /**
   * Reads it in steps, as it is when it is copied, which is one step however long it is; a short one at once, as `read`.
   * Undefined: it has gone meanwhile.
   */
  readInSteps(): Steps<T | undefined>;
}

/**
 * What evaluation asks of a view: verified as `RecordQueries` are, without a string or an array for what is on a list.
 * What was read has bytes of its own, never the memory map's. Reads throw DamagedRecordError.
 */
export interface EvaluationQueries {
  flag(id: string): FoundRecord<PackedFlag> | undefined;
  audience(id: string): FoundRecord<EvaluableAudience> | undefined;
  /** By name (UTF-8 order), then id. Lazy: consume it before awaiting anything. */
  flagsOf(projectId: string): Iterable<FoundRecord<PackedFlag>>;
}

/** What is kept of the record that was last read in steps, as long as the asker needs it. */
export interface HeldBytes {
  bytes: number;
}

/** Where a record lies, and how it is read. */
export interface RecordPlace<T> {
  readonly source: RecordSource;
  readonly database: 'flags' | 'audiences';
  readonly key: Buffer;
  readonly held: HeldBytes;
  skim(key: Buffer, bytes: Buffer): Steps<T>;
}

/** @returns undefined when it is not there */
export function findRecord<T>(place: RecordPlace<T>): FoundRecord<T> | undefined {
  const { source, database, key, skim } = place;
  // In memory of lmdb's that its next read overwrites.
  const found = source.peekBytes(database, key);
  if (found === undefined) return undefined;
  const read = (): T => {
    const copy = memoryFor(database, found.length);
    copy.set(found);
    return finish(skim(key, copy));
  };
  return {
    bytes: found.length,
    begin: (count) => beginningOf(found, count),
    read,
    readInSteps: () => readSteps(found.length, read, place),
  };
}

/** A generator of each record's own would have V8 make a map for each, which only a major collection takes away. */
function* readSteps<T>(bytes: number, read: () => T, place: RecordPlace<T>): Steps<T | undefined> {
  place.held.bytes = 0;
  return bytes <= atOnceBytes ? read() : yield* readLong(bytes, place);
}

/**
 * What is kept of a record keeps all of its memory, so it has its own. Of a flag's short record nothing is: lists of so
 * few bytes are copied out of it. Memory of its own for each of 60,000 flags would have all of it collected every few ms.
 */
function memoryFor(database: RecordPlace<unknown>['database'], bytes: number): Buffer {
  const isPooled = database === 'flags' && bytes <= copiedBytesMax;
  return isPooled ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes);
}

function* readLong<T>(
  bytes: number,
  { source, database, key, held, skim }: RecordPlace<T>,
): Steps<T | undefined> {
  for (let length = bytes; ; ) {
    held.bytes = length;
    const copy = yield* touchedMemory(length);
    const found = source.peekBytes(database, key);
    if (found === undefined) return undefined;
    if (found.length === length) {
      copy.set(found);
      yield;
      return yield* skim(key, copy);
    }
    // It has changed since its length was looked at.
    length = found.length;
  }
}
