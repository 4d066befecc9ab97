import { copiedBytesMax } from '../domain/evaluation/cohort-sets.ts';
import type { EvaluableAudience } from '../domain/evaluation/compiled-audience.ts';
import type { PackedFlag } from '../domain/flag/flag.ts';
import type { MemorySource } from '../support/scratch-memory.ts';
import { finish, type Steps } from '../support/steps.ts';
import { touchedMemory } from '../support/touched-memory.ts';
import type { RecordSource } from './record-source.ts';
import { beginningOf } from './records/record-codec.ts';

/** Records of up to so many bytes are read in one step: some tens of microseconds. */
export const atOnceBytes = 64 * 1024;

/** A record that was found and not read yet. */
export interface FoundRecord<T> {
  readonly bytes: number;
  /** Its first fields, which are texts. Unverified: a damaged record may give anything. @param count of them */
  begin(count: number): readonly unknown[];
  /** Reads it at once. Nothing else may have been read from the store since it was found. */
  read(): T;
  /**
   * Reads it in steps. Copying the record is one step, however long it is; a short record is read at once, as `read`
   * does. Undefined: the record was deleted meanwhile.
   * @param memory for a long record, whose lists stay in it; by default memory of the record's own
   */
  readInSteps(memory?: MemorySource): Steps<T | undefined>;
}

/**
 * What evaluation reads from a view: verified as `RecordQueries` is, without a string or an array for the items of a
 * list. A result has memory of its own, never the memory map's. Reads throw DamagedRecordError.
 */
export interface EvaluationQueries {
  flag(id: string): FoundRecord<PackedFlag> | undefined;
  audience(id: string): FoundRecord<EvaluableAudience> | undefined;
  /** By name (UTF-8 order), then id. Lazy: consume it without awaiting in between. */
  flagsOf(projectId: string): Iterable<FoundRecord<PackedFlag>>;
}

/** Bytes of the last record that was read in steps, which stay in memory while the reader of the record needs them. */
export interface HeldBytes {
  bytes: number;
}

/** The place of a record, and how it is read. */
export interface RecordPlace<T> {
  readonly source: RecordSource;
  readonly database: 'flags' | 'audiences';
  readonly key: Buffer;
  readonly held: HeldBytes;
  skim(key: Buffer, bytes: Buffer): Steps<T>;
}

/** @returns undefined when it does not exist */
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
    readInSteps: (memory = touchedMemory) => readSteps(found.length, read, place, memory),
  };
}

/** A generator function of each record's own would have V8 make a map for each, which only a major collection frees. */
function* readSteps<T>(
  bytes: number,
  read: () => T,
  place: RecordPlace<T>,
  memory: MemorySource,
): Steps<T | undefined> {
  place.held.bytes = 0;
  return bytes <= atOnceBytes ? read() : yield* readLong(bytes, place, memory);
}

/**
 * Lists of a record that is kept refer to its memory, so it gets memory of its own. A flag's short record does not: its
 * short lists are copied out. Separate memory for each of 60,000 flags would be collected every few ms.
 */
function memoryFor(database: RecordPlace<unknown>['database'], bytes: number): Buffer {
  const isPooled = database === 'flags' && bytes <= copiedBytesMax;
  return isPooled ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes);
}

function* readLong<T>(
  bytes: number,
  { source, database, key, held, skim }: RecordPlace<T>,
  memory: MemorySource,
): Steps<T | undefined> {
  // Many callers try one step only: they need no memory.
  yield;
  for (let length = bytes; ; ) {
    held.bytes = length;
    const copy = yield* memory(length);
    const found = source.peekBytes(database, key);
    if (found === undefined) return undefined;
    if (found.length === length) {
      copy.set(found);
      yield;
      return yield* skim(key, copy);
    }
    // The record has changed since its length was read.
    length = found.length;
  }
}
