import { contextParameters, type EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';

/** Longer bodies are read in the general way. */
const plainBytesMax = 4096;
/** Each attribute is compared with all before it: if a name is repeated, the last one counts. */
const plainAttributesMax = 16;

const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d];
const [quote, comma, minus, zero, nine, colon] = [0x22, 0x2c, 0x2d, 0x30, 0x39, 0x3a];
const [backslash, openBrace, closeBrace, highestAscii] = [0x5c, 0x7b, 0x7d, 0x7f];
const contextKey = Buffer.from('context');
const words = [Buffer.from('true'), Buffer.from('false')] as const;
const cohort = contextParameters.indexOf('cohort');
const environmentParameter = contextParameters.indexOf('env');

/**
 * Reads the bodies that nearly all clients send: `{"context":{…}}` in ASCII without escapes, whose values are texts,
 * integers and booleans, each name once. It makes no values of JSON: the ranges of names and values in the body are the
 * context.
 */
export class PlainBodyReader {
  #bytes: Uint8Array = contextKey;
  #at = 0;
  #end = 0;
  /** The end of the text or value that `#text` or `#value` found. */
  #foundEnd = 0;

  /**
   * @param environment that the address names: the context's own one does not count
   * @returns false: the body is not plain, perhaps malformed, and the context must not be evaluated
   */
  read(body: Uint8Array, context: EvaluationContext, environment: string | null): boolean {
    if (body.length > plainBytesMax) return false;
    context.take(body);
    this.#bytes = context.bytes;
    this.#at = 0;
    this.#end = body.length;
    if (!this.#takes(openBrace) || !this.#takesContextKey() || !this.#takes(colon)) return false;
    if (!this.#takesMembers(context, environment !== null) || !this.#takes(closeBrace)) return false;
    this.#skipSpace();
    if (this.#at !== this.#end) return false;
    if (environment !== null) context.setEnvironment(environment);
    return true;
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    for (; this.#at < this.#end; this.#at += 1) {
      const byte = bytes[this.#at];
      if (byte !== space && byte !== lineFeed && byte !== carriageReturn && byte !== tab) return;
    }
  }

  #takes(byte: number): boolean {
    this.#skipSpace();
    if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #takesContextKey(): boolean {
    const start = this.#text();
    return start >= 0 && this.#foundEnd - start === contextKey.length && this.#stands(contextKey, start);
  }

  #stands(text: Uint8Array, start: number): boolean {
    if (start + text.length > this.#end) return false;
    for (let index = 0; index < text.length; index += 1) {
      if (this.#bytes[start + index] !== text[index]) return false;
    }
    return true;
  }

  #takesMembers(context: EvaluationContext, hasEnvironment: boolean): boolean {
    if (!this.#takes(openBrace)) return false;
    if (this.#takes(closeBrace)) return true;
    do {
      const nameStart = this.#text();
      const nameEnd = this.#foundEnd;
      if (nameStart < 0 || !this.#takes(colon)) return false;
      const start = this.#value();
      if (start < 0) return false;
      const parameter = context.parameterAt(nameStart, nameEnd);
      if (parameter < 0) {
        if (this.#isUnusual(context, nameStart, nameEnd)) return false;
        context.addRange(nameStart, nameEnd, start, this.#foundEnd);
      } else if (parameter !== environmentParameter || !hasEnvironment) {
        if (context.hasRange(parameter)) return false;
        // An empty cohort counts as none.
        if (parameter !== cohort || this.#foundEnd > start)
          context.setRange(parameter, start, this.#foundEnd);
      }
    } while (this.#takes(comma));
    return this.#takes(closeBrace);
  }

  /** Whether the context has an attribute of this name, or as many as are read here. */
  #isUnusual(context: EvaluationContext, nameStart: number, nameEnd: number): boolean {
    const count = context.attributeCount;
    if (count === plainAttributesMax) return true;
    const bytes = this.#bytes;
    const length = nameEnd - nameStart;
    for (let index = 0; index < count; index += 1) {
      const start = context.attributeNameStart(index);
      if (context.attributeNameEnd(index) - start !== length) continue;
      let same = 0;
      while (same < length && bytes[start + same] === bytes[nameStart + same]) same += 1;
      if (same === length) return true;
    }
    return false;
  }

  /** @returns where a value begins, without its quotation mark; -1: this reader does not read it */
  #value(): number {
    this.#skipSpace();
    if (this.#at >= this.#end) return -1;
    const byte = this.#bytes[this.#at] as number;
    if (byte === quote) return this.#text();
    return byte === minus || (byte >= zero && byte <= nine) ? this.#integer() : this.#word();
  }

  /** @returns where a text begins, after its quotation mark; -1: it is not a text, or has escapes or characters beyond ASCII */
  #text(): number {
    if (!this.#takes(quote)) return -1;
    const bytes = this.#bytes;
    const start = this.#at;
    for (let at = start; at < this.#end; at += 1) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        this.#foundEnd = at;
        this.#at = at + 1;
        return start;
      }
      if (byte < space || byte === backslash || byte > highestAscii) return -1;
    }
    return -1;
  }

  /** The text after an integer is not checked here: after a fraction or an exponent, no member can follow. */
  #integer(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    const digits = bytes[start] === minus ? start + 1 : start;
    let at = digits;
    while (at < this.#end && (bytes[at] as number) >= zero && (bytes[at] as number) <= nine) at += 1;
    const count = at - digits;
    if (count === 0) return -1;
    // JSON has no leading zeros, and JavaScript prints -0 as 0.
    if (bytes[digits] === zero && (count > 1 || digits > start)) return -1;
    this.#at = at;
    this.#foundEnd = at;
    return start;
  }

  #word(): number {
    const start = this.#at;
    for (const word of words) {
      if (!this.#stands(word, start)) continue;
      this.#at = start + word.length;
      this.#foundEnd = this.#at;
      return start;
    }
    return -1;
  }
}
