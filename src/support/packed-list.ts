/**
 * A list of strings as msgpack stores it in a record: for each entry a length, in one of five forms, and its UTF-8. No
 * entry has been decoded to a string.
 */
export class PackedList {
  readonly bytes: Uint8Array;
  /** Offset of the first entry's length. */
  readonly start: number;
  readonly end: number;
  readonly count: number;

  constructor(bytes: Uint8Array, start: number, end: number, count: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.count = count;
  }

  /** @returns the list in bytes of its own */
  copy(): PackedList {
    // Not by `slice`, which returns a view for a Buffer.
    const copy = new Uint8Array(this.bytes.subarray(this.start, this.end));
    return new PackedList(copy, 0, copy.length, this.count);
  }
}

const encoder = new TextEncoder();
/** Bytes of the longest form of a length. */
const lengthBytesMax = 5;

/** @returns the list in bytes of its own */
export function packList(values: readonly string[]): PackedList {
  let room = 0;
  for (const value of values) room += value.length * 3 + lengthBytesMax;
  const bytes = new Uint8Array(room);
  let end = 0;
  for (const value of values) {
    const { written } = encoder.encodeInto(value, bytes.subarray(end + lengthBytesMax));
    const text = end + lengthBytesMax;
    const start = writeLength(bytes, end, written);
    bytes.copyWithin(start, text, text + written);
    end = start + written;
  }
  return new PackedList(bytes.slice(0, end), 0, end, values.length);
}

/** @returns the offset of the text */
function writeLength(bytes: Uint8Array, at: number, length: number): number {
  if (length < 0x20) {
    bytes[at] = 0xa0 + length;
    return at + 1;
  }
  const width = length < 0x100 ? 1 : length < 0x10000 ? 2 : 4;
  bytes[at] = width === 1 ? 0xd9 : width === 2 ? 0xda : 0xdb;
  for (let index = 0; index < width; index += 1) {
    bytes[at + 1 + index] = length >>> (8 * (width - 1 - index));
  }
  return at + 1 + width;
}

/**
 * Skips `count` entries. It is a function of its own, because V8 optimises a loop of 50,000 rounds while it runs, but
 * discards the optimised code each time if the code after the loop has never run.
 * @returns the end of the last entry, possibly behind the bytes; NaN when one of them is not a string
 */
export function passTexts(bytes: Uint8Array, start: number, count: number): number {
  let at = start;
  for (let left = count; left > 0; left -= 1) {
    const token = bytes[at] as number;
    if (token >= 0xa0 && token < 0xc0) at += token - 0x9f;
    else if (token >= 0xd9 && token <= 0xdb) at = textStart(bytes, at) + textLength(bytes, at);
    else return at < bytes.length ? Number.NaN : at + 1;
  }
  return at;
}

/** @returns the offset of the text of the entry at `at`, in a list whose form was checked before */
export function textStart(bytes: Uint8Array, at: number): number {
  const token = bytes[at] as number;
  if (token < 0xc0) return at + 1;
  return token === 0xd9 ? at + 2 : token === 0xda ? at + 3 : at + 5;
}

/** @returns the length in bytes of the text of the entry at `at` */
export function textLength(bytes: Uint8Array, at: number): number {
  const token = bytes[at] as number;
  if (token < 0xc0) return token & 0x1f;
  if (token === 0xd9) return bytes[at + 1] as number;
  const upper = ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
  if (token === 0xda) return upper;
  return upper * 0x10000 + (((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number));
}

/** @returns whether the `length` bytes from `at` and from `other` are the same */
export function sameText(
  bytes: Uint8Array,
  at: number,
  others: Uint8Array,
  other: number,
  length: number,
): boolean {
  // From the end, because entries of one list often begin alike.
  for (let index = length - 1; index >= 0; index -= 1) {
    if (bytes[at + index] !== others[other + index]) return false;
  }
  return true;
}
