import { codePointCount } from './code-points.ts';

/** Arrays and objects that may be open at once, unless the caller says otherwise (decisions). */
export const nestingMax = 32;

/**
 * Why something is not JSON that we read; thrown by `JsonScanner`. It is no `Error`: a client's mistake needs no stack,
 * and capturing one takes longer than the scan of a small body.
 */
export class JsonFault {
  readonly kind: 'malformed' | 'too-deep';
  /** Says what was expected: `it ends where a value should be`. */
  readonly message: string;
  /** Of the first wrong byte; the length of what was scanned is its end. */
  readonly offset: number;
  /** Of the backslash when an escape is wrong, else the same as `offset`. */
  readonly start: number;

  constructor(kind: JsonFault['kind'], message: string, offset: number, start = offset) {
    this.kind = kind;
    this.message = message;
    this.offset = offset;
    this.start = start;
  }
}

/** Where a value stands in what was scanned: from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

type VisitMember = (key: string) => void;
type VisitItem = (index: number) => void;

/**
 * Checks a text against the JSON grammar. `JSON.parse` alone will not do: it does not say where it failed, and takes
 * 200 ms for 1 MiB of nested arrays and 150 ms for 1 MiB of small objects. `json-value.ts` reads what was checked here.
 *
 * @param depthMax how many arrays and objects may be open at once; one more is `too-deep`.
 * @returns null when the text is JSON; the offsets of a fault are those of UTF-16 units.
 */
export function scanJson(text: string, depthMax: number): JsonFault | null {
  // Encoding costs less than it saves: bytes are scanned twice as fast as the units of a string.
  const bytes = Buffer.from(text);
  try {
    const scanner = new JsonScanner(bytes, 0, depthMax);
    scanner.value();
    scanner.end();
    return null;
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    const units = (offset: number): number => bytes.toString('utf8', 0, offset).length;
    return new JsonFault(fault.kind, fault.message, units(fault.offset), units(fault.start));
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
 * Walks JSON (RFC 8259, exactly what `JSON.parse` accepts) once, in linear time, and makes no values of it, so that a
 * large document can be cut into slices. Recursive descent; the recursion is as deep as `depthMax`.
 *
 * Every method that passes over something throws a `JsonFault` where it ends being JSON.
 */
export class JsonScanner {
  readonly #bytes: Uint8Array;
  readonly #depthMax: number;
  #at: number;
  #depth = 0;

  /**
   * @param bytes must be UTF-8.
   * @param start offset of the first byte to look at.
   */
  constructor(bytes: Uint8Array, start = 0, depthMax = nestingMax) {
    this.#bytes = bytes;
    this.#at = start;
    this.#depthMax = depthMax;
  }

  /** Visits an object. `visitValue` must pass over the key's value; anything that is no object is passed over whole. */
  object(visitValue: VisitMember): ByteRange {
    return this.#passOver(visitValue, null);
  }

  /** Visits an array. `visitItem` must pass over the item; anything that is no array is passed over whole. */
  array(visitItem: VisitItem): ByteRange {
    return this.#passOver(null, visitItem);
  }

  /** Passes over one value of any kind. */
  value(): ByteRange {
    return this.#passOver(null, null);
  }

  /** Passes over the white space at the end. Anything else there is a fault. */
  end(): void {
    if (this.#peek() !== -1) this.#fail('the end of the document');
  }

  #passOver(visitMember: VisitMember | null, visitItem: VisitItem | null): ByteRange {
    this.#peek();
    const start = this.#at;
    this.#value(visitMember, visitItem);
    return { start, end: this.#at };
  }

  #fail(expected: string, start = this.#at): never {
    const found = start >= this.#bytes.length ? 'it ends' : 'unexpected character';
    throw new JsonFault('malformed', `${found} where ${expected} should be`, this.#at, start);
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

  /** The byte that the scan stands at, or -1. */
  #byte(): number {
    return this.#bytes[this.#at] ?? -1;
  }

  #take(expected: number): boolean {
    if (this.#bytes[this.#at] !== expected) return false;
    this.#at++;
    return true;
  }

  #value(visitMember: VisitMember | null, visitItem: VisitItem | null): void {
    const byte = this.#peek();
    if (byte === quote) this.#string();
    else if (byte === openBrace) this.#members(visitMember);
    else if (byte === openBracket) this.#items(visitItem);
    else if (byte === 0x74) this.#word('true');
    else if (byte === 0x66) this.#word('false');
    else if (byte === 0x6e) this.#word('null');
    else this.#number();
  }

  #members(visit: VisitMember | null): void {
    this.#enter();
    if (this.#peek() !== closeBrace) {
      do {
        if (this.#peek() !== quote) this.#fail('a key in quotation marks');
        const keyStart = this.#at;
        this.#string();
        const keyEnd = this.#at;
        if (!this.#isFollowedBy(colon)) this.#fail('":"');
        if (visit === null) this.#value(null, null);
        else visit(decodeKey(this.#bytes.subarray(keyStart, keyEnd)));
      } while (this.#isFollowedBy(comma));
    }
    this.#leave(closeBrace, '"," or "}"');
  }

  #items(visit: VisitItem | null): void {
    this.#enter();
    if (this.#peek() !== closeBracket) {
      let index = 0;
      do {
        if (visit === null) this.#value(null, null);
        else visit(index++);
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
    const bytes = this.#bytes;
    this.#at++;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte === quote) break;
      if (byte === undefined) this.#fail('the closing quotation mark');
      if (byte < space) throw new JsonFault('malformed', 'a control character stands in a string', this.#at);
      if (byte === backslash) this.#escape();
      else this.#at++;
    }
    this.#at++;
  }

  #escape(): void {
    const start = this.#at++;
    if (this.#take(lowerU)) {
      for (let digits = 0; digits < 4; digits++) this.#escaped(isHexDigit(this.#byte()), start);
    } else this.#escaped(isEscapeLetter(this.#byte()), start);
  }

  #escaped(isRight: boolean, start: number): void {
    if (!isRight) this.#fail('an escape such as \\n or \\u00e9', start);
    this.#at++;
  }

  #number(): void {
    this.#take(minus);
    if (!this.#take(zero)) this.#digits('a value');
    if (this.#take(dot)) this.#digits('a digit');
    if ((this.#byte() | 0x20) !== lowerE) return;
    this.#at++;
    if (!this.#take(plus)) this.#take(minus);
    this.#digits('a digit');
  }

  #digits(expected: string): void {
    if (!isDigit(this.#byte())) this.#fail(expected);
    while (isDigit(this.#byte())) this.#at++;
  }

  #word(word: string): void {
    for (let index = 0; index < word.length; index++) {
      if (!this.#take(word.charCodeAt(index))) this.#fail(word);
    }
  }
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  const letter = byte & ~0x20; // upper case
  return isDigit(byte) || (letter >= 0x41 && letter <= 0x46);
}

function isEscapeLetter(byte: number): boolean {
  return '"\\/bfnrt'.includes(String.fromCharCode(byte));
}

const decoder = new TextDecoder();

function decodeKey(bytes: Uint8Array): string {
  return String(JSON.parse(decoder.decode(bytes)));
}

/** @returns the line and the column, in code points, of an offset in a text; both from 1. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const { line, start } = lineAt((from) => text.indexOf('\n', from), offset);
  return { line, column: codePointCount(text.slice(start, offset)) + 1 };
}

/** @returns the line and the column, in UTF-16 units without a byte order mark, of an offset in UTF-8 bytes. */
export function lineAndColumn(bytes: Uint8Array, offset: number): { line: number; column: number } {
  const { line, start } = lineAt((from) => bytes.indexOf(0x0a, from), offset);
  return { line, column: decoder.decode(bytes.subarray(start, offset)).length + 1 };
}

function lineAt(newLineFrom: (from: number) => number, offset: number) {
  let [line, start] = [1, 0];
  for (let end = newLineFrom(0); end !== -1 && end < offset; end = newLineFrom(start)) {
    line++;
    start = end + 1;
  }
  return { line, start };
}
