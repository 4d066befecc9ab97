import { codePointCount } from './code-points.ts';

/** Why a text is not JSON that we read, and where: `offset` counts UTF-16 units; the length of the text is its end. */
export interface JsonFault {
  readonly kind: 'malformed' | 'too-deep';
  readonly offset: number;
}

interface TextPosition {
  /** From 1. */
  readonly line: number;
  /** In code points, from 1. */
  readonly column: number;
}

/**
 * Checks a text against the JSON grammar (RFC 8259, exactly what `JSON.parse` accepts) in one linear pass that
 * allocates nothing. `JSON.parse` alone will not do: it says nothing usable about where it failed, takes 200 ms for
 * 1 MiB of nested arrays and 150 ms for 1 MiB of small objects. `json-value.ts` reads what has been checked here.
 *
 * @param depthMax how many arrays and objects may be open at once; one more is `too-deep`.
 * @returns null when the text is JSON.
 */
export function scanJson(text: string, depthMax: number): JsonFault | null {
  return new JsonScanner(text, depthMax).run();
}

/** @returns the line and column of an offset, for people. */
export function positionOf(text: string, offset: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', lineStart)) {
    line++;
    lineStart = end + 1;
  }
  return { line, column: codePointCount(text.slice(lineStart, offset)) + 1 };
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const zero = 0x30;
const nine = 0x39;
const plus = 0x2b;
const minus = 0x2d;
const dot = 0x2e;
const lowerE = 0x65;
const upperE = 0x45;
const lowerU = 0x75;

/**
 * Recursive descent; the recursion is as deep as `depthMax`. Each method moves past one thing and says whether it was
 * there; after a «no» the fault is where the scan stands.
 */
class JsonScanner {
  readonly #text: string;
  readonly #depthMax: number;
  #at = 0;
  #isTooDeep = false;

  constructor(text: string, depthMax: number) {
    this.#text = text;
    this.#depthMax = depthMax;
  }

  run(): JsonFault | null {
    this.#space();
    const isValue = this.#value(0);
    if (isValue) this.#space();
    if (isValue && this.#at === this.#text.length) return null;
    return { kind: this.#isTooDeep ? 'too-deep' : 'malformed', offset: this.#at };
  }

  #value(depth: number): boolean {
    switch (this.#text[this.#at]) {
      case '"':
        return this.#string();
      case '{':
        return this.#isOpenable(depth) && this.#object(depth + 1);
      case '[':
        return this.#isOpenable(depth) && this.#array(depth + 1);
      case 't':
        return this.#word('true');
      case 'f':
        return this.#word('false');
      case 'n':
        return this.#word('null');
      default:
        return this.#number();
    }
  }

  #isOpenable(depth: number): boolean {
    this.#isTooDeep = depth >= this.#depthMax;
    return !this.#isTooDeep;
  }

  #object(depth: number): boolean {
    this.#take(openBrace);
    this.#space();
    if (this.#take(closeBrace)) return true;
    do {
      this.#space();
      if (!this.#string()) return false;
      this.#space();
      if (!this.#take(colon) || !this.#element(depth)) return false;
    } while (this.#take(comma));
    return this.#take(closeBrace);
  }

  #array(depth: number): boolean {
    this.#take(openBracket);
    this.#space();
    if (this.#take(closeBracket)) return true;
    do {
      if (!this.#element(depth)) return false;
    } while (this.#take(comma));
    return this.#take(closeBracket);
  }

  #element(depth: number): boolean {
    this.#space();
    if (!this.#value(depth)) return false;
    this.#space();
    return true;
  }

  #string(): boolean {
    if (!this.#take(quote)) return false;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === quote) return this.#take(quote);
      if (code === backslash) {
        if (!this.#escape()) return false;
      } else if (code >= 0x20) {
        this.#at++;
      } else {
        return false; // a control character, or (NaN) the end
      }
    }
  }

  #escape(): boolean {
    this.#take(backslash);
    if (this.#take(lowerU)) {
      for (let digits = 0; digits < 4; digits++) if (!this.#hexDigit()) return false;
      return true;
    }
    if (!'"\\/bfnrt'.includes(this.#text[this.#at] ?? 'none')) return false;
    this.#at++;
    return true;
  }

  #hexDigit(): boolean {
    const code = this.#text.charCodeAt(this.#at);
    const letter = code & ~0x20; // upper case
    if (!(code >= zero && code <= nine) && !(letter >= 0x41 && letter <= 0x46)) return false;
    this.#at++;
    return true;
  }

  #number(): boolean {
    this.#take(minus);
    if (!this.#take(zero) && !this.#digits()) return false;
    if (this.#take(dot) && !this.#digits()) return false;
    if (!this.#take(lowerE) && !this.#take(upperE)) return true;
    if (!this.#take(plus)) this.#take(minus);
    return this.#digits();
  }

  #digits(): boolean {
    const start = this.#at;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (!(code >= zero && code <= nine)) return this.#at > start;
      this.#at++;
    }
  }

  #word(word: string): boolean {
    for (let index = 0; index < word.length; index++) {
      if (!this.#take(word.charCodeAt(index))) return false;
    }
    return true;
  }

  #take(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }
}
