import { toUSVString } from 'node:util';
import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import type { Steps } from '../../support/steps.ts';
import type { DatabaseName } from '../keys.ts';
import { DamagedRecordError } from '../store-error.ts';
import { RowReader } from './row-reader.ts';

/**
 * One kind of record as bytes:
 *
 * | offset | bytes | what                                                                                  |
 * |--------|-------|---------------------------------------------------------------------------------------|
 * | 0      | 1     | format version of this kind of record                                                 |
 * | 1      | 4     | CRC-32, big-endian, of the database's name, the version, the key and the payload       |
 * | 5      |       | payload: a msgpack array of the fields, in the order of the kind's row                 |
 *
 * LMDB has no page checksums. Name and key are in the sum, so a record that lies under another key is noticed too.
 * Rows are arrays, never objects: a decoded object would lose a key called `__proto__`.
 */
export interface RecordCodec<T> {
  readonly database: DatabaseName;
  encode(key: Uint8Array, record: T): Buffer;
  /** @throws DamagedRecordError */
  decode(key: Uint8Array, bytes: Buffer): T;
  /**
   * Verifies a record and reads its row in another way than `decode`, in steps, so that megabytes do not block the
   * thread.
   * @param bytes must not change until it is done
   * @param read takes the row's items in their order; an error about the row's form makes the record a damaged one
   * @throws DamagedRecordError
   */
  skim<R>(key: Uint8Array, bytes: Buffer, read: (row: RowReader) => Steps<R>): Steps<R>;
  /** Verifies as `decode` does, without decoding. @throws DamagedRecordError */
  verify(key: Uint8Array, bytes: Buffer): void;
}

interface RecordShape<T, Row extends readonly unknown[]> {
  readonly database: DatabaseName;
  /** 1 to 255; a change of the row takes the next number. */
  readonly version: number;
  /** Its fields, in stored order; later versions append others. */
  toRow(record: T): Row;
  fromRow(row: NoInfer<Row>): NoInfer<T>;
}

const headerBytes = 5;
/** Bytes whose checksum takes some fifty microseconds. */
const summedBytes = 256 * 1024;
const packr = new Packr({ useRecords: false });

export function recordCodec<T, const Row extends readonly unknown[]>(
  shape: RecordShape<T, Row>,
): RecordCodec<T> {
  const { database, version } = shape;
  const seed = crc32(Buffer.of(version), crc32(database));
  const sumOf = (key: Uint8Array, payload: Uint8Array) => crc32(payload, crc32(key, seed));
  const open = (key: Uint8Array, bytes: Buffer): Buffer => {
    if (bytes[0] !== version) throw new DamagedRecordError(database, key, unknownVersion(bytes));
    return bytes.subarray(headerBytes);
  };
  const requireSum = (key: Uint8Array, bytes: Buffer, sum: number): void => {
    if (sumIn(bytes) === sum) return;
    throw new DamagedRecordError(database, key, 'its checksum does not match its content');
  };
  const payloadOf = (key: Uint8Array, bytes: Buffer): Buffer => {
    const payload = open(key, bytes);
    requireSum(key, bytes, sumOf(key, payload));
    return payload;
  };
  const damaged = (key: Uint8Array, fault: unknown): DamagedRecordError =>
    new DamagedRecordError(database, key, `it is ${(fault as Error).message}`);
  function* skim<R>(key: Uint8Array, bytes: Buffer, read: (row: RowReader) => Steps<R>): Steps<R> {
    const payload = open(key, bytes);
    let sum = crc32(key, seed);
    for (let start = 0; start < payload.length; start += summedBytes) {
      sum = crc32(payload.subarray(start, start + summedBytes), sum);
      if (start + summedBytes < payload.length) yield;
    }
    requireSum(key, bytes, sum);
    try {
      return yield* read(new RowReader(payload));
    } catch (fault) {
      throw damaged(key, fault);
    }
  }
  const decodeRow = (key: Uint8Array, bytes: Buffer): readonly unknown[] => {
    const row = new RowReader(payloadOf(key, bytes));
    try {
      return row.readRow();
    } catch (fault) {
      throw damaged(key, fault);
    }
  };
  return {
    database,
    encode(key, record) {
      const payload = packRow(shape.toRow(record));
      return seal(version, sumOf(key, payload), payload);
    },
    decode: (key, bytes) => shape.fromRow(decodeRow(key, bytes) as unknown as Row),
    skim,
    verify(key, bytes) {
      payloadOf(key, bytes);
    },
  };
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

const storableTypes: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

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

function seal(version: number, sum: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + payload.length);
  bytes[0] = version;
  bytes.writeUInt32BE(sum, 1);
  bytes.set(payload, headerBytes);
  return bytes;
}

function sumIn(bytes: Buffer): number {
  return bytes.length < headerBytes ? -1 : bytes.readUInt32BE(1);
}

function unknownVersion(bytes: Uint8Array): string {
  return bytes.length === 0 ? 'it is empty' : `its format version ${bytes[0]} is not known here`;
}
