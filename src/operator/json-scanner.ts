/** The text is not JSON, or deeper than is read; `offset` is the byte where that shows. */
export class JsonFault extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Where a value stands: `bytes[start, end)`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Deeper documents are refused, as everywhere in Burgee (decisions). */
export const nestingMax = 32;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const letterE = 0x65;

const decoder = new TextDecoder();

/**
 * Walks JSON in bytes once, without making values of it, so that a large document can be cut into slices. It is as
 * strict as `JSON.parse`: what it has passed over is JSON. The bytes must be UTF-8.
 */
export class JsonScanner {
  readonly #bytes: Uint8Array;
  #at: number;
  #depth = 0;

  readonly #passOver = (): void => {
    this.value();
  };

  constructor(bytes: Uint8Array, start = 0) {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** Visits an object. `visitValue` must pass over the key's value; anything that is no object is passed over whole. */
  object(visitValue: (key: string) => void): ByteRange {
    if (this.#peek() !== openBrace) return this.value();
    return this.#members((start, end) => visitValue(decodeKey(this.#bytes.subarray(start, end))));
  }

  /** Visits an array. `visitItem` must pass over the item; anything that is no array is passed over whole. */
  array(visitItem: (index: number) => void): ByteRange {
    if (this.#peek() !== openBracket) return this.value();
    return this.#items(visitItem);
  }

  /** Passes over one value of any kind. */
  value(): ByteRange {
    const byte = this.#peek();
    if (byte === openBrace) return this.#members(this.#passOver);
    if (byte === openBracket) return this.#items(this.#passOver);
    const start = this.#at;
    if (byte === quote) this.#string();
    else this.#scalar(byte);
    return { start, end: this.#at };
  }

  /** @throws {JsonFault} when anything but white space is left. */
  end(): void {
    if (this.#peek() !== -1) this.#fail('the end of the document');
  }

  #fail(expected: string): never {
    const isOver = this.#at >= this.#bytes.length;
    throw new JsonFault(
      `${isOver ? 'it ends' : 'unexpected character'} where ${expected} should be`,
      this.#at,
    );
  }

  /** The next byte that is no white space, or -1. */
  #peek(): number {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return -1;
      if (byte !== space && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.#at++;
    }
  }

  #isFollowedBy(expected: number): boolean {
    if (this.#peek() !== expected) return false;
    this.#at++;
    return true;
  }

  #members(visit: (keyStart: number, keyEnd: number) => void): ByteRange {
    const start = this.#enter();
    if (this.#peek() !== closeBrace) {
      do {
        if (this.#peek() !== quote) this.#fail('a key in quotation marks');
        const keyStart = this.#at;
        this.#string();
        const keyEnd = this.#at;
        if (!this.#isFollowedBy(colon)) this.#fail('":"');
        visit(keyStart, keyEnd);
      } while (this.#isFollowedBy(comma));
    }
    return this.#leave(start, closeBrace, '"," or "}"');
  }

  #items(visit: (index: number) => void): ByteRange {
    const start = this.#enter();
    let index = 0;
    if (this.#peek() !== closeBracket) {
      do visit(index++);
      while (this.#isFollowedBy(comma));
    }
    return this.#leave(start, closeBracket, '"," or "]"');
  }

  #enter(): number {
    if (++this.#depth > nestingMax)
      throw new JsonFault(`it is nested deeper than ${nestingMax} levels`, this.#at);
    return this.#at++;
  }

  #leave(start: number, close: number, expected: string): ByteRange {
    if (!this.#isFollowedBy(close)) this.#fail(expected);
    this.#depth--;
    return { start, end: this.#at };
  }

  #string(): void {
    const bytes = this.#bytes;
    this.#at++;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte === quote) break;
      if (byte === undefined) this.#fail('the closing quotation mark');
      if (byte < space) throw new JsonFault('a control character stands in a string', this.#at);
      if (byte === backslash) this.#escape();
      else this.#at++;
    }
    this.#at++;
  }

  #escape(): void {
    const letter = String.fromCharCode(this.#bytes[this.#at + 1] ?? 0);
    if ('"\\/bfnrt'.includes(letter)) {
      this.#at += 2;
      return;
    }
    const digits = decoder.decode(this.#bytes.subarray(this.#at + 2, this.#at + 6));
    if (letter !== 'u' || !/^[0-9A-Fa-f]{4}$/.test(digits)) this.#fail('an escape such as \\n or \\u00e9');
    this.#at += 6;
  }

  #scalar(first: number): void {
    if (first === 0x74) this.#literal('true');
    else if (first === 0x66) this.#literal('false');
    else if (first === 0x6e) this.#literal('null');
    else this.#number();
  }

  #literal(word: string): void {
    for (let index = 0; index < word.length; index++) {
      if (this.#bytes[this.#at] !== word.charCodeAt(index)) this.#fail(word);
      this.#at++;
    }
  }

  #number(): void {
    if (this.#bytes[this.#at] === minus) this.#at++;
    if (this.#bytes[this.#at] === zero) this.#at++;
    else this.#digits('a value');
    if (this.#bytes[this.#at] === point) {
      this.#at++;
      this.#digits('a digit');
    }
    if (((this.#bytes[this.#at] ?? 0) | 0x20) === letterE) {
      this.#at++;
      const sign = this.#bytes[this.#at];
      if (sign === plus || sign === minus) this.#at++;
      this.#digits('a digit');
    }
  }

  #digits(expected: string): void {
    if (!isDigit(this.#bytes[this.#at])) this.#fail(expected);
    while (isDigit(this.#bytes[this.#at])) this.#at++;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= 0x39;
}

function decodeKey(bytes: Uint8Array): string {
  return String(JSON.parse(decoder.decode(bytes)));
}

/** @returns the line and column, from 1, of a byte. */
export function lineAndColumn(bytes: Uint8Array, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return { line, column: decoder.decode(bytes.subarray(lineStart, offset)).length + 1 };
}
