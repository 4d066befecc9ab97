import { isAscii } from 'node:buffer';
import { PackedList, passTexts } from '../../support/packed-list.ts';

/** Longer strings are decoded one by one: testing each of their bytes first would cost more than it saves. */
const lookedAtMax = 64;
/** A string that is cut out of a piece keeps the piece in memory: no more than this, however large the row is. */
const pieceBytes = 2048;
const firstNonAscii = 0x80;

/**
 * Reads the msgpack of a row: arrays, strings, bytes, numbers, booleans and null, the only types of a row.
 *
 * msgpackr's own reader decodes strings in native code with one table for all threads of a process. Each thread that
 * starts fills the table anew: a string that another thread decodes at that moment is wrong, without an error
 * (gotchas).
 */
export class RowReader {
  readonly #bytes: Buffer;
  #position = 0;
  /** A piece of the payload as Latin-1: ASCII strings are cut out of it, which is far cheaper than decoding. */
  #piece = '';
  #pieceStart = 0;

  constructor(payload: Uint8Array) {
    this.#bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  }

  /** @throws RangeError when the payload is not exactly one row */
  readRow(): readonly unknown[] {
    const row = this.#read();
    if (!Array.isArray(row) || this.#position !== this.#bytes.length)
      throw new RangeError('not exactly one row');
    return row;
  }

  /** Begins to read an array item by item. @returns the number of items @throws RangeError on anything else */
  enterArray(): number {
    const token = this.#number(1);
    if (token >= 0x90 && token < 0xa0) return token - 0x90;
    if (token === 0xdc || token === 0xdd) return this.#number(2 ** (token - 0xdb));
    throw new RangeError('a row of another form');
  }

  /** @throws RangeError unless it is a string */
  readString(): string {
    const value = this.#read();
    if (typeof value !== 'string') throw new RangeError('a row of another form');
    return value;
  }

  /** @returns the next item, as `readRow` would return it */
  read(): unknown {
    return this.#read();
  }

  /** Skips a list of strings. @returns its place @throws RangeError on anything else */
  passList(): PackedList {
    // As integers: a product is a double to V8, and a loop over 50,000 places takes three times as long with doubles.
    return this.#passTexts(this.enterArray() | 0);
  }

  #passTexts(count: number): PackedList {
    const start = this.#position | 0;
    const bytes = this.#bytes;
    const end = passTexts(bytes, start, count);
    if (Number.isNaN(end)) throw new RangeError('a row of another form');
    if (end > bytes.length) throw new RangeError('a row that ends too early');
    this.#position = end;
    return new PackedList(bytes, start, end, count);
  }

  /** The same as `passList`, or null for a null. */
  passListOrNull(): PackedList | null {
    if (this.#bytes[this.#position] !== 0xc0) return this.passList();
    this.#position += 1;
    return null;
  }

  /** Skips a string. @returns its UTF-8, in the memory of the row @throws RangeError on anything else */
  passString(): Buffer {
    const { start, end } = this.#passTexts(1);
    return this.#bytes.subarray(start + headBytesOf(this.#bytes[start] as number), end);
  }

  /** Skips this number of items. */
  pass(items: number): void {
    for (let index = 0; index < items; index += 1) this.#read();
  }

  /** @throws RangeError unless everything was read */
  requireEnd(): void {
    if (this.#position !== this.#bytes.length) throw new RangeError('not exactly one row');
  }

  #read(): unknown {
    const token = this.#number(1);
    if (token < 0x80) return token;
    if (token >= 0xe0) return token - 0x100;
    if (token >= 0xa0 && token < 0xc0) return this.#string(token - 0xa0);
    if (token >= 0x90 && token < 0xa0) return this.#array(token - 0x90);
    return this.#readLonger(token);
  }

  /** An item with its length, or its value, in the bytes after the token. */
  #readLonger(token: number): unknown {
    switch (token) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#slice(this.#number(2 ** (token - 0xc4)));
      case 0xcb:
        return this.#bytes.readDoubleBE(this.#advance(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#number(2 ** (token - 0xcc));
      case 0xd0:
      case 0xd1:
      case 0xd2:
        return this.#signed(2 ** (token - 0xd0));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#string(this.#number(2 ** (token - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#number(2 ** (token - 0xdb)));
      default:
        throw new RangeError(`a row with the byte ${token}, with which no item of a row begins`);
    }
  }

  /** Moves the position by `length` bytes. @returns the position before */
  #advance(length: number): number {
    const start = this.#position;
    this.#position = start + length;
    if (this.#position > this.#bytes.length) throw new RangeError('a row that ends too early');
    return start;
  }

  #number(width: number): number {
    const start = this.#advance(width);
    let value = this.#bytes[start] as number;
    for (let at = start + 1; at < this.#position; at += 1)
      value = value * 0x100 + (this.#bytes[at] as number);
    return value;
  }

  #signed(width: number): number {
    return this.#bytes.readIntBE(this.#advance(width), width);
  }

  #slice(length: number): Buffer {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, this.#position);
  }

  #array(length: number): unknown[] {
    const items: unknown[] = [];
    for (let index = 0; index < length; index += 1) items.push(this.#read());
    return items;
  }

  #string(length: number): string {
    const start = this.#advance(length);
    const end = this.#position;
    if (length > lookedAtMax) return this.#long(start, end);
    if (!this.#isAscii(start, end)) return this.#bytes.toString('utf8', start, end);
    if (end > this.#pieceStart + this.#piece.length) {
      this.#piece = this.#bytes.toString('latin1', start, start + pieceBytes);
      this.#pieceStart = start;
    }
    return this.#piece.slice(start - this.#pieceStart, end - this.#pieceStart);
  }

  /** For megabytes of ASCII, decoding as UTF-8 takes milliseconds, and copying tenths of one. */
  #long(start: number, end: number): string {
    const bytes = this.#bytes.subarray(start, end);
    return bytes.length > pieceBytes && isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
  }

  #isAscii(start: number, end: number): boolean {
    const bytes = this.#bytes;
    let bits = 0;
    for (let at = start; at < end; at += 1) bits |= bytes[at] as number;
    return bits < firstNonAscii;
  }
}

/** @param token of a string. @returns how many bytes stand before its text */
function headBytesOf(token: number): number {
  return token < 0xc0 ? 1 : 1 + 2 ** (token - 0xd9);
}
