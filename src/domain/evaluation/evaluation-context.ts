import { assert } from '../../support/assert.ts';
import { isUtf8, utf8BytesMax } from '../../support/utf8.ts';
import { contextValuesMax, type QueryFault } from './query-fault.ts';

/** The three parameters that are never attributes. */
export const contextParameters = ['targetingKey', 'cohort', 'env'] as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const parameterBytes = contextParameters.map((name) => encoder.encode(name));
const [ampersand, equals, plus, percent, highestRaw, highestAscii] = [0x26, 0x3d, 0x2b, 0x25, 0x7e, 0x7f];
const initialBytes = 16 * 1024;
const initialCells = 256;
/** Memory that a context keeps for the next request. Most queries and bodies need less. */
const keptBytesMax = 64 * 1024;

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/**
 * The decoded evaluation context of one request, as ranges of bytes in one buffer that the next request reuses:
 * decoding allocates nothing and makes no strings. One instance per thread. It is filled from a query string (`decode`),
 * or by `clear` and then `set…` and `add…`.
 */
export class EvaluationContext {
  /** Decoded UTF-8 of all names and values in a row. */
  bytes = new Uint8Array(initialBytes);
  /**
   * Ranges in `bytes` by index in `contextParameters`: start at 2 × index, end after it; an absent one starts at -1.
   */
  readonly #parameters = new Int32Array(contextParameters.length * 2);
  /** Four cells for each value of an attribute: name start, name end, value start, value end. */
  #attributes = new Int32Array(initialCells);
  /** Number of values of all attributes. Each item of a list counts. */
  attributeCount = 0;
  /** Ranges in `bytes` of the cohorts after the first one: start and end alternate. A query string has no such cohorts. */
  #furtherCohorts = new Int32Array(16);
  furtherCohortCount = 0;
  /** The decoded name of the parameter that has the last fault, for the message. */
  faultyParameter = '';
  #used = 0;

  get targetingKeyStart(): number {
    return this.#parameters[0] as number;
  }
  get targetingKeyEnd(): number {
    return this.#parameters[1] as number;
  }
  get cohortStart(): number {
    return this.#parameters[2] as number;
  }
  get cohortEnd(): number {
    return this.#parameters[3] as number;
  }
  /** Unlike the other two, an empty `env=` is present: it is an unknown environment. */
  get envStart(): number {
    return this.#parameters[4] as number;
  }
  get envEnd(): number {
    return this.#parameters[5] as number;
  }
  get hasTargetingKey(): boolean {
    return this.targetingKeyEnd > this.targetingKeyStart;
  }
  get hasCohort(): boolean {
    return this.cohortEnd > this.cohortStart;
  }

  furtherCohortStart(index: number): number {
    return this.#furtherCohorts[index * 2] as number;
  }
  furtherCohortEnd(index: number): number {
    return this.#furtherCohorts[index * 2 + 1] as number;
  }
  attributeNameStart(index: number): number {
    return this.#attributes[index * 4] as number;
  }
  attributeNameEnd(index: number): number {
    return this.#attributes[index * 4 + 1] as number;
  }
  attributeValueStart(index: number): number {
    return this.#attributes[index * 4 + 2] as number;
  }
  attributeValueEnd(index: number): number {
    return this.#attributes[index * 4 + 3] as number;
  }

  #reset(bytesNeeded: number): void {
    if (this.bytes.length < bytesNeeded) this.bytes = new Uint8Array(bytesNeeded);
    // A store for each: `fill` calls into V8, which costs more than all the rest.
    for (let cell = 0; cell < this.#parameters.length; cell += 1) this.#parameters[cell] = -1;
    this.attributeCount = 0;
    this.furtherCohortCount = 0;
    this.#used = 0;
  }

  /**
   * Decodes a raw query string (without its question mark), where each character is a byte, and replaces the context.
   * @returns the first fault, or null. After a fault the context must not be evaluated. A raw character is always a
   * fault.
   */
  decode(query: string): QueryFault | null {
    const end = query.length;
    this.#reset(end);
    const { bytes } = this;
    let at = 0;
    while (at < end) {
      const pieceStart = this.#used;
      let nameEnd = -1;
      let hasPlus = false;
      let hasHighByte = false;
      let fault: QueryFault | null = null;
      let write = this.#used;
      for (; at < end; at += 1) {
        let byte = query.charCodeAt(at);
        if (byte === ampersand) break;
        if (byte === equals && nameEnd < 0) {
          nameEnd = write;
          continue;
        }
        if (byte === percent) {
          const high = at + 2 < end ? hexDigit(query.charCodeAt(at + 1)) : -1;
          const low = at + 2 < end ? hexDigit(query.charCodeAt(at + 2)) : -1;
          if (high < 0 || low < 0) {
            fault ??= 'malformed-escape';
          } else {
            byte = high * 16 + low;
            at += 2;
            if (byte >= 0x80) hasHighByte = true;
          }
        } else if (byte > highestRaw) {
          fault ??= 'raw-character';
        } else if (byte === plus && nameEnd >= 0) {
          hasPlus = true;
        }
        bytes[write++] = byte;
      }
      at += 1;
      this.#used = write;
      if (nameEnd < 0) nameEnd = write;
      if (write === pieceStart) continue;
      fault ??= this.#accept(pieceStart, nameEnd, write, hasPlus, hasHighByte);
      if (fault !== null) {
        this.faultyParameter = decoder.decode(bytes.subarray(pieceStart, nameEnd));
        return fault;
      }
    }
    return null;
  }

  /** Notes a decoded pair as a parameter or an attribute. */
  #accept(
    start: number,
    nameEnd: number,
    end: number,
    hasPlus: boolean,
    hasHighByte: boolean,
  ): QueryFault | null {
    if (hasHighByte && !(isUtf8(this.bytes, start, nameEnd) && isUtf8(this.bytes, nameEnd, end))) {
      return 'invalid-utf8';
    }
    const parameter = this.parameterAt(start, nameEnd);
    if (parameter < 0) {
      this.addRange(start, nameEnd, nameEnd, end);
      return this.attributeCount > contextValuesMax ? 'too-many-values' : null;
    }
    if (this.hasRange(parameter)) return 'repeated';
    if (hasPlus && contextParameters[parameter] === 'cohort') return 'raw-plus-in-cohort';
    this.setRange(parameter, nameEnd, end);
    return null;
  }

  /** Index in `contextParameters` of the name in `bytes[start, end)`, or -1. Compares the length first. */
  parameterAt(start: number, end: number): number {
    const length = end - start;
    const candidate = length === 12 ? 0 : length === 6 ? 1 : length === 3 ? 2 : -1;
    if (candidate < 0) return -1;
    const name = parameterBytes[candidate] as Uint8Array;
    for (let at = 0; at < length; at += 1) if (name[at] !== this.bytes[start + at]) return -1;
    return candidate;
  }

  /** Adds an attribute whose name and value are in `bytes`. */
  addRange(start: number, nameEnd: number, valueStart: number, end: number): void {
    const cell = this.attributeCount * 4;
    if (cell + 4 > this.#attributes.length) this.#attributes = fourfold(this.#attributes);
    this.#attributes[cell] = start;
    this.#attributes[cell + 1] = nameEnd;
    this.#attributes[cell + 2] = valueStart;
    this.#attributes[cell + 3] = end;
    this.attributeCount += 1;
  }

  /** Replaces the context by bytes of ASCII that have names and values in them, each of which `setRange` and `addRange` note. */
  take(bytes: Uint8Array): void {
    this.#reset(bytes.length);
    this.bytes.set(bytes);
    this.#used = bytes.length;
  }

  hasRange(parameter: number): boolean {
    return this.#parameters[parameter * 2] !== -1;
  }

  /** @param parameter index in `contextParameters` */
  setRange(parameter: number, start: number, end: number): void {
    this.#parameters[parameter * 2] = start;
    this.#parameters[parameter * 2 + 1] = end;
  }

  /** Empties the context. */
  clear(): void {
    this.#reset(0);
  }

  setTargetingKey(text: string): void {
    this.#setParameter(0, text);
  }

  /** Any one of several cohorts may match. The first one is the bucketing key when there is no targeting key. */
  addCohort(text: string): void {
    if (!this.hasCohort) {
      this.#setParameter(1, text);
      return;
    }
    const cell = this.furtherCohortCount * 2;
    if (cell + 2 > this.#furtherCohorts.length) this.#furtherCohorts = fourfold(this.#furtherCohorts);
    this.#furtherCohorts[cell] = this.#used;
    this.#furtherCohorts[cell + 1] = this.#append(text);
    this.furtherCohortCount += 1;
  }

  setEnvironment(name: string): void {
    this.#setParameter(2, name);
  }

  /** Adds an attribute with its first value. @param name none of `contextParameters` */
  addAttribute(name: string, value: string): void {
    const start = this.#used;
    const nameEnd = this.#append(name);
    this.addRange(start, nameEnd, nameEnd, this.#append(value));
  }

  /** Adds one more value to the attribute that was added last, without another copy of its name. */
  addFurtherValue(value: string): void {
    const last = this.attributeCount - 1;
    assert(last >= 0, 'a further value follows the first one');
    const start = this.#used;
    const end = this.#append(value);
    this.addRange(this.attributeNameStart(last), this.attributeNameEnd(last), start, end);
  }

  /** Gives back the memory of a large context, which is empty afterwards. Call it after each use of a context that is kept. */
  trim(): void {
    if (this.bytes.length > keptBytesMax) {
      this.bytes = new Uint8Array(initialBytes);
      this.clear();
    }
    if (this.#attributes.byteLength > keptBytesMax) this.#attributes = new Int32Array(initialCells);
  }

  #setParameter(parameter: number, text: string): void {
    const start = this.#used;
    this.setRange(parameter, start, this.#append(text));
  }

  /** Most texts are short and ASCII: for them this loop costs less than a call of the encoder. */
  #append(text: string): number {
    const start = this.#used;
    const needed = start + text.length * utf8BytesMax;
    if (needed > this.bytes.length) this.#grow(needed);
    const { bytes } = this;
    let write = start;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > highestAscii) {
        write = start + encoder.encodeInto(text, bytes.subarray(start)).written;
        break;
      }
      bytes[write++] = code;
    }
    this.#used = write;
    return write;
  }

  #grow(bytesNeeded: number): void {
    const larger = new Uint8Array(2 * bytesNeeded);
    larger.set(this.bytes.subarray(0, this.#used));
    this.bytes = larger;
  }
}

function fourfold(cells: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(cells.length * 4);
  larger.set(cells);
  return larger;
}
