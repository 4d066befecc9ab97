import { copiedBytesMax } from '../domain/evaluation/cohort-sets.ts';
import type { EvaluableAudience } from '../domain/evaluation/compiled-audience.ts';
import type { EvaluableFlag } from '../domain/evaluation/evaluable-flag.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { finish, type Steps } from '../support/steps.ts';
import { touchedMemory } from '../support/touched-memory.ts';
import { idKey, lastIdKeyOf, rangeOf } from './keys/key-parts.ts';
import { missingRecord } from './record-look-ups.ts';
import type { RecordSource } from './record-source.ts';
import { skimAudience } from './records/audience-record.ts';
import { flagRecord, skimFlag } from './records/flag-record.ts';
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
  flag(id: string): FoundRecord<EvaluableFlag> | undefined;
  audience(id: string): FoundRecord<EvaluableAudience> | undefined;
  /** By name (UTF-8 order), then id. Lazy: consume it before awaiting anything. */
  flagsOf(projectId: string): Iterable<FoundRecord<EvaluableFlag>>;
}

export function createEvaluationQueries(source: RecordSource): EvaluationQueries {
  return {
    flag: (id) => (isIdShaped(id) ? find(flagPlace(source, idKey(id))) : undefined),
    audience: (id) =>
      isIdShaped(id) ? find({ source, table: 'audiences', key: idKey(id), skim: skimAudience }) : undefined,
    flagsOf: (projectId) => flagsOf(source, projectId),
  };
}

/** Where a record lies, and how it is read. */
interface RecordPlace<T> {
  readonly source: RecordSource;
  readonly table: 'flags' | 'audiences';
  readonly key: Buffer;
  skim(key: Buffer, bytes: Buffer): Steps<T>;
}

function flagPlace(source: RecordSource, key: Buffer): RecordPlace<EvaluableFlag> {
  return { source, table: 'flags', key, skim: skimFlag };
}

function find<T>(place: RecordPlace<T>): FoundRecord<T> | undefined {
  const { source, table, key, skim } = place;
  // In memory of lmdb's that its next read overwrites.
  const found = source.peekBytes(table, key);
  if (found === undefined) return undefined;
  const read = (): T => {
    const copy = memoryFor(table, found.length);
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
  return bytes <= atOnceBytes ? read() : yield* readLong(bytes, place);
}

/**
 * What is kept of a record keeps all of its memory, so it has its own. Of a flag's short record nothing is: lists of so
 * few bytes are copied out of it. Memory of its own for each of 60,000 flags would have all of it collected every few ms.
 */
function memoryFor(table: RecordPlace<unknown>['table'], bytes: number): Buffer {
  const isPooled = table === 'flags' && bytes <= copiedBytesMax;
  return isPooled ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes);
}

function* readLong<T>(bytes: number, { source, table, key, skim }: RecordPlace<T>): Steps<T | undefined> {
  for (let length = bytes; ; ) {
    const copy = yield* touchedMemory(length);
    const found = source.peekBytes(table, key);
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

function* flagsOf(source: RecordSource, projectId: string): Generator<FoundRecord<EvaluableFlag>> {
  if (!isIdShaped(projectId)) return;
  const pinned = source.pin();
  try {
    for (const indexKey of pinned.source.keys('flags-by-name', rangeOf(projectId))) {
      const key = lastIdKeyOf(indexKey);
      const found = find(flagPlace(pinned.source, key));
      if (found === undefined) throw missingRecord(flagRecord, key);
      yield found;
    }
  } finally {
    pinned.release();
  }
}
