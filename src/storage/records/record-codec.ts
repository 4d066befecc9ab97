import { toUSVString } from 'node:util';
import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import { PackedList } from '../../support/packed-list.ts';
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
  skim<R>(key: Uint8Array, bytes: Buffer, read: (row: RowReader) => R): R;
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
  const skim = <R>(key: Uint8Array, bytes: Buffer, read: (row: RowReader) => R): R => {
    const payload = payloadOf(key, bytes);
    try {
      return read(new RowReader(payload));
    } catch (fault) {
      throw damaged(key, fault);
    }
  };
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
 * A `PackedList` in it is written as the list whose bytes it has.
 *
 * @throws TypeError on a string that UTF-8 cannot encode, which would be read as another one, and on a type that no row
 * has: only arrays, strings, bytes, numbers, booleans and null are read back.
 */
export function packRow(row: readonly unknown[]): Buffer {
  if (!requireStorable(row)) return packr.pack(row);
  const pieces: Uint8Array[] = [];
  packPieces(row, pieces);
  return Buffer.concat(pieces);
}

function hasPacked(field: unknown): boolean {
  return field instanceof PackedList || (Array.isArray(field) && field.some(hasPacked));
}

function packPieces(field: unknown, pieces: Uint8Array[]): void {
  if (field instanceof PackedList) {
    pieces.push(arrayHead(field.count), field.bytes.subarray(field.start, field.end));
  } else if (Array.isArray(field) && hasPacked(field)) {
    pieces.push(arrayHead(field.length));
    for (const item of field) packPieces(item, pieces);
  } else pieces.push(packr.pack(field));
}

/** The beginning of an array in msgpack, in its shortest form, as `packr` writes it. */
function arrayHead(length: number): Buffer {
  if (length < 0x10) return Buffer.of(0x90 + length);
  const head = Buffer.alloc(length < 0x10000 ? 3 : 5);
  head[0] = length < 0x10000 ? 0xdc : 0xdd;
  head.writeUIntBE(length, 1, head.length - 1);
  return head;
}

/** @throws RangeError on bytes that `packRow` has not made */
export function unpackRow(payload: Uint8Array): readonly unknown[] {
  return new RowReader(payload).readRow();
}

const storableTypes: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/** @returns whether there is a `PackedList` in it */
function requireStorable(row: readonly unknown[]): boolean {
  let hasPackedList = false;
  for (const field of row) {
    if (typeof field === 'string') requireWellFormed(field);
    else if (field instanceof PackedList) hasPackedList = true;
    else if (Array.isArray(field)) hasPackedList = requireStorable(field) || hasPackedList;
    else if (field !== null && !storableTypes.has(typeof field) && !(field instanceof Uint8Array)) {
      throw new TypeError(`A ${typeof field} cannot be stored`);
    }
  }
  return hasPackedList;
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
