import { codePointCount } from './code-points.ts';

/** Depth of arrays and objects, unless the caller sets another one (decisions). */
export const nestingMax = 32;

/**
 * Why a text is not JSON that Burgee reads. It is not an `Error`: a client's mistake needs no stack, and capturing one
 * takes longer than scanning a small body.
 */
export class JsonFault {
  readonly kind: 'malformed' | 'too-deep';
  /** Says what was expected: `it ends where a value should be`. */
  readonly message: string;
  /** Offset of the first wrong unit; at the end of the text, its length. */
  readonly offset: number;
  /** Offset of the backslash when an escape is wrong, otherwise the same as `offset`. */
  readonly start: number;

  constructor(kind: JsonFault['kind'], message: string, offset: number, start = offset) {
    this.kind = kind;
    this.message = message;
    this.offset = offset;
    this.start = start;
  }
}

/**
 * Checks a text against the JSON grammar. `JSON.parse` does not suffice: it does not say where it failed, and takes 200
 * ms for 1 MiB of nested arrays and 150 ms for 1 MiB of small objects. `json-value.ts` reads the checked text.
 *
 * @param depthMax the most arrays and objects inside one another; one more is `too-deep`.
 * @param areKeysUnique whether a repeated key of an object is a fault: `JSON.parse` silently drops one of the two.
 * @returns null when the text is JSON.
 */
export function scanJson(text: string, depthMax: number, areKeysUnique = false): JsonFault | null {
  // Reading an array's units takes half the time of reading a string's. Their byte order is that of every platform for
  // which uWebSockets.js has a build. A buffer of Node begins at a multiple of 8, in its pool too.
  const { buffer, byteOffset } = Buffer.from(text, 'utf16le');
  const scanner = new JsonScanner(new Uint16Array(buffer, byteOffset, text.length), depthMax, areKeysUnique);
  try {
    scanner.document();
    return null;
  } catch (fault) {
    if (fault instanceof JsonFault) return fault;
    throw fault;
  }
}

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const plus = 0x2b;
const minus = 0x2d;
const dot = 0x2e;
const zero = 0x30;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const lowerE = 0x65;
const lowerU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Scans UTF-16 units as JSON (RFC 8259, exactly what `JSON.parse` accepts) once, in linear time, without making values.
 * Recursive descent, at most `depthMax` deep. Throws a `JsonFault` where the text stops being JSON.
 */
class JsonScanner {
  readonly #units: Uint16Array;
  readonly #depthMax: number;
  readonly #areKeysUnique: boolean;
  #at = 0;
  #depth = 0;

  constructor(units: Uint16Array, depthMax: number, areKeysUnique: boolean) {
    this.#units = units;
    this.#depthMax = depthMax;
    this.#areKeysUnique = areKeysUnique;
  }

  document(): void {
    this.#value();
    if (this.#peek() !== -1) this.#fail('the end of the document');
  }

  #fail(expected: string, start = this.#at): never {
    const found = start >= this.#units.length ? 'it ends' : 'unexpected character';
    throw new JsonFault('malformed', `${found} where ${expected} should be`, this.#at, start);
  }

  /** The next unit that is not white space, or -1. */
  #peek(): number {
    for (;;) {
      const unit = this.#units[this.#at];
      if (unit === undefined) return -1;
      if (unit !== space && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return unit;
      this.#at++;
    }
  }

  #isFollowedBy(expected: number): boolean {
    if (this.#peek() !== expected) return false;
    this.#at++;
    return true;
  }

  /** The unit at the current offset, or -1. */
  #unit(): number {
    return this.#units[this.#at] ?? -1;
  }

  #take(expected: number): boolean {
    if (this.#units[this.#at] !== expected) return false;
    this.#at++;
    return true;
  }

  #value(): void {
    const unit = this.#peek();
    if (unit === quote) this.#string();
    else if (unit === openBrace) this.#members();
    else if (unit === openBracket) this.#items();
    else if (unit === 0x74) this.#word('true');
    else if (unit === 0x66) this.#word('false');
    else if (unit === 0x6e) this.#word('null');
    else this.#number();
  }

  #members(): void {
    this.#enter();
    const seen = this.#areKeysUnique ? new Set<string>() : null;
    if (this.#peek() !== closeBrace) {
      do {
        if (this.#peek() !== quote) this.#fail('a key in quotation marks');
        const start = this.#at;
        this.#string();
        if (seen !== null) this.#requireNew(seen, start);
        if (!this.#isFollowedBy(colon)) this.#fail('":"');
        this.#value();
      } while (this.#isFollowedBy(comma));
    }
    this.#leave(closeBrace, '"," or "}"');
  }

  #requireNew(seen: Set<string>, start: number): void {
    const key = String(JSON.parse(utf16Decoder.decode(this.#units.subarray(start, this.#at))));
    if (seen.has(key))
      throw new JsonFault('malformed', `the key ${JSON.stringify(key)} is given twice`, start);
    seen.add(key);
  }

  #items(): void {
    this.#enter();
    if (this.#peek() !== closeBracket) {
      do {
        this.#value();
      } while (this.#isFollowedBy(comma));
    }
    this.#leave(closeBracket, '"," or "]"');
  }

  #enter(): void {
    if (this.#depth === this.#depthMax)
      throw new JsonFault('too-deep', `it is nested deeper than ${this.#depthMax} levels`, this.#at);
    this.#depth++;
    this.#at++;
  }

  #leave(close: number, expected: string): void {
    if (!this.#isFollowedBy(close)) this.#fail(expected);
    this.#depth--;
  }

  #string(): void {
    const units = this.#units;
    this.#at++;
    for (;;) {
      const unit = units[this.#at];
      if (unit === quote) break;
      if (unit === undefined) this.#fail('the closing quotation mark');
      if (unit < space) throw new JsonFault('malformed', 'a control character stands in a string', this.#at);
      if (unit === backslash) this.#escape();
      else this.#at++;
    }
    this.#at++;
  }

  #escape(): void {
    const start = this.#at++;
    if (this.#take(lowerU)) {
      for (let digits = 0; digits < 4; digits++) this.#escaped(isHexDigit(this.#unit()), start);
    } else this.#escaped(isEscapeLetter(this.#unit()), start);
  }

  #escaped(isRight: boolean, start: number): void {
    if (!isRight) this.#fail('an escape such as \\n or \\u00e9', start);
    this.#at++;
  }

  #number(): void {
    this.#take(minus);
    if (!this.#take(zero)) this.#digits('a value');
    if (this.#take(dot)) this.#digits('a digit');
    if ((this.#unit() | 0x20) !== lowerE) return;
    this.#at++;
    if (!this.#take(plus)) this.#take(minus);
    this.#digits('a digit');
  }

  #digits(expected: string): void {
    if (!isDigit(this.#unit())) this.#fail(expected);
    while (isDigit(this.#unit())) this.#at++;
  }

  #word(word: string): void {
    for (let index = 0; index < word.length; index++) {
      if (!this.#take(word.charCodeAt(index))) this.#fail(word);
    }
  }
}

function isDigit(unit: number): boolean {
  return unit >= zero && unit <= 0x39;
}

function isHexDigit(unit: number): boolean {
  const letter = unit & ~0x20; // upper case
  return isDigit(unit) || (letter >= 0x41 && letter <= 0x46);
}

function isEscapeLetter(unit: number): boolean {
  return '"\\/bfnrt'.includes(String.fromCharCode(unit));
}

const utf16Decoder = new TextDecoder('utf-16le');

/** @returns line and column of an offset in a text; the column in code points, both from 1. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  let [line, start] = [1, 0];
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return { line, column: codePointCount(text.slice(start, offset)) + 1 };
}
