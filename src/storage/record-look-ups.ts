import { isIdShaped } from '../support/id-shape.ts';
import { DamagedRecordError } from './damaged-record-error.ts';
import { idKey, type KeyRange, lastIdKeyOf, rangeOf, secretHashBytes } from './keys/key-parts.ts';
import type { DatabaseName } from './keys.ts';
import type { RecordSource } from './record-source.ts';
import type { RecordCodec } from './records/record-codec.ts';

/** What is no id finds nothing. */
export function findById<T>(source: RecordSource, codec: RecordCodec<T>, id: string): T | undefined {
  return isIdShaped(id) ? source.find(codec, idKey(id)) : undefined;
}

/** @param index from the SHA-256 of a secret to the id of its record */
export function findBySecretHash<T>(
  source: RecordSource,
  index: DatabaseName,
  codec: RecordCodec<T>,
  secretHash: Uint8Array,
): T | undefined {
  if (secretHash.length !== secretHashBytes) return undefined;
  const id = source.findEntry(index, Buffer.from(secretHash));
  return id === undefined ? undefined : indexedRecord(source, codec, id);
}

/** @param index whose keys begin with the owner's id and end with the record's */
export function* ownedBy<T>(
  source: RecordSource,
  index: DatabaseName,
  codec: RecordCodec<T>,
  ownerId: string,
): Generator<T> {
  if (isIdShaped(ownerId)) yield* indexed(source, index, codec, rangeOf(ownerId), lastIdKeyOf);
}

/** The records that an index's keys name, in the order of the keys, all on one snapshot. */
export function* indexed<T>(
  source: RecordSource,
  index: DatabaseName,
  codec: RecordCodec<T>,
  range: KeyRange,
  recordKeyOf: (key: Buffer) => Buffer,
): Generator<T> {
  const pinned = source.pin();
  try {
    for (const key of pinned.source.keys(index, range)) {
      yield indexedRecord(pinned.source, codec, recordKeyOf(key));
    }
  } finally {
    pinned.release();
  }
}

/** @throws DamagedRecordError when an index names a record that is not there. */
function indexedRecord<T>(source: RecordSource, codec: RecordCodec<T>, key: Buffer): T {
  const record = source.find(codec, key);
  if (record !== undefined) return record;
  throw missingRecord(codec, key);
}

/** @returns what to throw for a record that an index names and that is not there. */
export function missingRecord<T>({ database }: RecordCodec<T>, key: Buffer): DamagedRecordError {
  return new DamagedRecordError(database, key, 'an index names it, but it is not there');
}
