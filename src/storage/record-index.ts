import { isIdShaped } from '../support/id-shape.ts';
import { idKey, type KeyRange, lastIdKeyOf, ownedIdKey, rangeOf, secretHashBytes } from './keys/key-parts.ts';
import type { DatabaseName } from './keys.ts';
import type { RecordSource } from './record-source.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { DamagedRecordError } from './store-error.ts';

/** An index: the entries for a record, and the record of an entry. */
export interface RecordIndex<T> {
  readonly database: DatabaseName;
  keysOf(record: T): readonly Buffer[];
  /** Whether both records have the same keys: cheaper than to make the keys of both. */
  hasSameKeys(before: T, after: T): boolean;
  valueOf(record: T): Buffer;
  recordKeyOf(key: Buffer, value: Buffer): Buffer;
}

export const emptyValue = Buffer.alloc(0);

/** An index by owner, project or member: the owner's id, then the record's. */
export function ownerIndex<T extends { readonly id: string }>(
  database: DatabaseName,
  ownerOf: (record: T) => string,
): RecordIndex<T> {
  return {
    database,
    keysOf: (record) => [ownedIdKey(ownerOf(record), record.id)],
    hasSameKeys: (before, after) => before.id === after.id && ownerOf(before) === ownerOf(after),
    valueOf: () => emptyValue,
    recordKeyOf: lastIdKeyOf,
  };
}

/** An index by the SHA-256 of a secret, to the id of its record. */
export function secretIndex<T extends { readonly id: string; readonly secretHash: Uint8Array }>(
  database: DatabaseName,
): RecordIndex<T> {
  return {
    database,
    keysOf: ({ secretHash }) => [Buffer.from(secretHash)],
    hasSameKeys: (before, after) => Buffer.compare(before.secretHash, after.secretHash) === 0,
    valueOf: ({ id }) => idKey(id),
    recordKeyOf: (_, value) => value,
  };
}

/** A text that is not an id finds nothing. */
export function findById<T>(source: RecordSource, codec: RecordCodec<T>, id: string): T | undefined {
  return isIdShaped(id) ? source.find(codec, idKey(id)) : undefined;
}

export function findBySecretHash<T>(
  source: RecordSource,
  { database }: RecordIndex<T>,
  codec: RecordCodec<T>,
  secretHash: Uint8Array,
): T | undefined {
  if (secretHash.length !== secretHashBytes) return undefined;
  const id = source.findEntry(database, Buffer.from(secretHash));
  return id === undefined ? undefined : indexedRecord(source, codec, id);
}

/** All records, in the order of their keys. */
export function* allOf<T>(source: RecordSource, codec: RecordCodec<T>): Generator<T> {
  for (const { record } of source.records(codec)) yield record;
}

/** @param index whose keys begin with the owner's id */
export function* ownedBy<T>(
  source: RecordSource,
  index: RecordIndex<T>,
  codec: RecordCodec<T>,
  ownerId: string,
): Generator<T> {
  if (isIdShaped(ownerId)) yield* indexed(source, index, codec, rangeOf(ownerId));
}

/** The records that an index's keys name, in the order of the keys, all from one snapshot. */
export function* indexed<T>(
  source: RecordSource,
  index: RecordIndex<T>,
  codec: RecordCodec<T>,
  range: KeyRange,
): Generator<T> {
  const pinned = source.pin();
  try {
    for (const key of pinned.source.keys(index.database, range)) {
      yield indexedRecord(pinned.source, codec, index.recordKeyOf(key, emptyValue));
    }
  } finally {
    pinned.release();
  }
}

/** @throws DamagedRecordError when an index names a missing record. */
function indexedRecord<T>(source: RecordSource, codec: RecordCodec<T>, key: Buffer): T {
  const record = source.find(codec, key);
  if (record !== undefined) return record;
  throw missingRecord(codec, key);
}

/** @returns the error for a record that an index names and that is missing. */
export function missingRecord<T>({ database }: RecordCodec<T>, key: Buffer): DamagedRecordError {
  return new DamagedRecordError(database, key, 'an index names it, but it is missing');
}
