import { toUSVString } from 'node:util';
import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import type { DatabaseName } from '../keys.ts';
import { DamagedRecordError } from '../store-error.ts';
import { RowReader } from './row-reader.ts';

/**
 * One kind of record as bytes:
 *
 * | offset | bytes | what                                                                             |
 * |--------|-------|----------------------------------------------------------------------------------| | 0      | 4
 * | CRC-32, big-endian, of the database's name, the key and the payload              | | 4      |       | payload: a
 * msgpack array of the fields, in the order of the kind's row           |
 *
 * LMDB has no page checksums. Name and key are in the sum, so a record that lies under another key is noticed too. Rows
 * are arrays, never objects: decoding an object would lose a key called `__proto__`.
 */
export interface RecordCodec<T> {
  readonly database: DatabaseName;
  encode(key: Uint8Array, record: T): Buffer;
  /** @throws DamagedRecordError */
  decode(key: Uint8Array, bytes: Buffer): T;
  /**
   * Verifies a record, and reads its row in another way than `decode`.
   * @param read takes the row's items in their order; an error about the row's form makes the record a damaged one
   * @throws DamagedRecordError
   */
  skim<R>(key: Uint8Array, bytes: Buffer, read: (row: RowReader) => R): R;
  /** Verifies as `decode` does, without decoding. @throws DamagedRecordError */
  verify(key: Uint8Array, bytes: Buffer): void;
}

interface RecordShape<T, Row extends readonly unknown[]> {
  readonly database: DatabaseName;
  /** Its fields, in stored order. */
  toRow(record: T): Row;
  fromRow(row: NoInfer<Row>): NoInfer<T>;
}

const headerBytes = 4;
const packr = new Packr({ useRecords: false });

export function recordCodec<T, const Row extends readonly unknown[]>(
  shape: RecordShape<T, Row>,
): RecordCodec<T> {
  const { database } = shape;
  const seed = crc32(database);
  const sumOf = (key: Uint8Array, payload: Uint8Array) => crc32(payload, crc32(key, seed));
  const payloadOf = (key: Uint8Array, bytes: Buffer): Buffer => {
    const payload = bytes.subarray(headerBytes);
    if (bytes.length > headerBytes && bytes.readUInt32BE(0) === sumOf(key, payload)) return payload;
    throw new DamagedRecordError(database, key, 'its checksum does not match its content');
  };
  const skim = <R>(key: Uint8Array, bytes: Buffer, read: (row: RowReader) => R): R => {
    const payload = payloadOf(key, bytes);
    try {
      return read(new RowReader(payload));
    } catch (fault) {
      throw new DamagedRecordError(database, key, `it is ${(fault as Error).message}`);
    }
  };
  return {
    database,
    encode(key, record) {
      const payload = packRow(shape.toRow(record));
      const bytes = Buffer.allocUnsafe(headerBytes + payload.length);
      bytes.writeUInt32BE(sumOf(key, payload), 0);
      bytes.set(payload, headerBytes);
      return bytes;
    },
    decode: (key, bytes) => shape.fromRow(skim(key, bytes, (row) => row.readRow()) as unknown as Row),
    skim,
    verify(key, bytes) {
      payloadOf(key, bytes);
    },
  };
}

/** How one field of a record is stored. */
interface Field<T> {
  toStored(value: T): unknown;
  fromStored(stored: unknown): T;
}

/** Stored as it is: strings, numbers, booleans, nulls, and arrays of these. */
export const plain = {
  toStored: (value: unknown) => value,
  fromStored: (stored: unknown) => stored as never,
};

/** A copy when it is read: msgpack returns a view of the whole record. */
export const copiedBytes: Field<Uint8Array> = {
  toStored: (value) => value,
  fromStored: (stored) => new Uint8Array(stored as Uint8Array),
};

/** A field that is stored in another form. */
export function storedAs<T, Stored>(
  toStored: (value: T) => Stored,
  fromStored: (stored: NoInfer<Stored>) => NoInfer<T>,
): Field<T> {
  return { toStored, fromStored: (stored) => fromStored(stored as Stored) };
}

/** A record whose row has its fields in the order in which they are given here. */
export function recordOf<T extends object>(
  database: DatabaseName,
  fields: { readonly [Name in keyof T]-?: Field<T[Name]> },
): RecordCodec<T> {
  const listed = Object.entries<Field<unknown>>(fields);
  return recordCodec({
    database,
    toRow: (record: T) =>
      listed.map(([name, { toStored }]) => toStored((record as Record<string, unknown>)[name])),
    fromRow(row: readonly unknown[]) {
      const record: Record<string, unknown> = {};
      for (const [index, [name, { fromStored }]] of listed.entries()) record[name] = fromStored(row[index]);
      return record as T;
    },
  });
}

/** A record of one value. */
export function recordOfValue<T>(database: DatabaseName): RecordCodec<T> {
  return recordCodec({ database, toRow: (value: T) => [value], fromRow: ([value]) => value });
}

/**
 * Unverified values may serve as a hint only.
 * @returns the first fields of a record's row, which are short; of a damaged record anything
 */
export function beginningOf(bytes: Uint8Array, fields: number): readonly unknown[] {
  try {
    const row = new RowReader(bytes.subarray(headerBytes));
    row.enterArray();
    return Array.from({ length: fields }, () => row.read());
  } catch {
    return [];
  }
}

/**
 * @throws TypeError on a string that UTF-8 cannot encode, which would be read as another one, and on a type that no row
 * has: only arrays, strings, bytes, numbers, booleans and null are read back.
 */
export function packRow(row: readonly unknown[]): Buffer {
  requireStorable(row);
  return packr.pack(row);
}

/** @throws RangeError on bytes that `packRow` has not made */
export function unpackRow(payload: Uint8Array): readonly unknown[] {
  return new RowReader(payload).readRow();
}

const storableTypes: ReadonlySet<string> = new Set(['number', 'boolean']);

function requireStorable(row: readonly unknown[]): void {
  for (const field of row) {
    if (typeof field === 'string') requireWellFormed(field);
    else if (Array.isArray(field)) requireStorable(field);
    else if (field !== null && !storableTypes.has(typeof field) && !(field instanceof Uint8Array)) {
      throw new TypeError(`A ${typeof field} cannot be stored`);
    }
  }
}

function requireWellFormed(text: string): void {
  if (toUSVString(text) !== text) throw new TypeError('A string with a lone surrogate cannot be stored');
}
