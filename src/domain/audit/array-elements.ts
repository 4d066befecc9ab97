/** The place of an element in JSON: from the byte `start` to before the byte `end`. */
export interface ArrayElement {
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
/** A bracket and the brace of the same side differ in this bit alone. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;
/** Bytes between two pauses: some tens of microseconds. */
const bytesBetweenPauses = 16 * 1024;

/**
 * Finds the elements of a JSON array of any length, with pauses.
 * @param json UTF-8 without white space, as `JSON.stringify` writes it
 * @param start offset of the array
 * @returns each element; a null is a pause in which other requests are served. At last the offset after the array
 */
export function* arrayElements(json: Uint8Array, start: number): Generator<ArrayElement | null, number> {
  const scan = new ArrayScan(json, start + 1);
  for (let from = start + 1; ; from = scan.at) {
    while (!scan.advance()) yield null;
    const end = scan.at;
    if (end > from) yield { start: from, end };
    scan.at += 1;
    if (scan.isOver) return scan.at;
  }
}

/** The bytes are read in a method: V8 keeps the variables of a generator in memory, and a byte would take three times as long. */
class ArrayScan {
  readonly #json: Uint8Array;
  at: number;
  /** The array has ended, or the text has. */
  isOver = false;
  #depth = 0;
  #pauseAt: number;

  constructor(json: Uint8Array, start: number) {
    this.#json = json;
    this.at = start;
    this.#pauseAt = start + bytesBetweenPauses;
  }

  /** Goes on to the comma or bracket that ends an element. @returns false for a pause before it */
  advance(): boolean {
    const json = this.#json;
    const end = Math.min(json.length, this.#pauseAt);
    let depth = this.#depth;
    let at = this.at;
    for (; at < end; at += 1) {
      const code = json[at] as number;
      if (code === quote) at = endOfString(json, at);
      else if (code === comma && depth === 0) break;
      else if ((code | braceBit) === opening) depth += 1;
      else if ((code | braceBit) === closing) {
        if (depth === 0) break;
        depth -= 1;
      }
    }
    this.at = at;
    this.#depth = depth;
    const isPause = at >= end && at < json.length;
    if (isPause) this.#pauseAt = at + bytesBetweenPauses;
    else this.isOver = json[at] !== comma;
    return !isPause;
  }
}

/** @returns the offset of the quote that ends the string */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < json.length; at += 1) {
    const code = json[at];
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return at;
}
