/** The most bytes of UTF-8 for one UTF-16 code unit. */
export const utf8BytesMax = 3;

/** @returns the bytes of a well-formed text in UTF-8 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // A surrogate pair has four bytes: two for each half.
    bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** @returns whether `bytes[start, end)` is well-formed UTF-8: no overlong forms, surrogates or values past U+10FFFF. */
export function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at < end) {
    const length = sequenceLength(bytes, at, end);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

function isContinuation(bytes: Uint8Array, at: number, end: number): boolean {
  return at < end && ((bytes[at] as number) & 0xc0) === 0x80;
}

/** The length of the sequence at `at`, or 0 when there is none (RFC 3629, table of well-formed sequences). */
function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4 || !isContinuation(bytes, at + 1, end)) return 0;
  if (lead < 0xe0) return 2;
  const second = bytes[at + 1] as number;
  if (!isContinuation(bytes, at + 2, end)) return 0;
  if (lead < 0xf0) {
    const isOverlong = lead === 0xe0 && second < 0xa0;
    const isSurrogate = lead === 0xed && second > 0x9f;
    return isOverlong || isSurrogate ? 0 : 3;
  }
  if (!isContinuation(bytes, at + 3, end)) return 0;
  const isOverlong = lead === 0xf0 && second < 0x90;
  const isTooLarge = lead === 0xf4 && second > 0x8f;
  return isOverlong || isTooLarge ? 0 : 4;
}
