import { type PackedList, textLength, textStart } from './packed-list.ts';

/** Placeholder for a list in the JSON text: a lone surrogate, which no stored text has. */
const marker = '\ud800';
const shownMarker = JSON.stringify(marker);
/** Bytes of a piece, made in one step of some tens of microseconds. */
const pieceBytes = 32 * 1024;
const [openBracket, comma, quote, backslash] = Buffer.from('[,"\\');
/** A byte below it is a control character, which JSON escapes. */
const firstPlain = 0x20;
/** The quotes and the comma around a text. */
const aroundText = 3;

/** The buffer in which a piece is built. A yielded piece is valid until the next piece of any list is asked for. */
const scratch = Buffer.allocUnsafeSlow(pieceBytes);

/**
 * A value as JSON, as `JSON.stringify` would write it, in pieces. A packed list is written as the array of strings that
 * it stands for, a few entries at a time; the text between lists is one piece.
 */
export function* jsonPieces(value: unknown): Generator<string | Uint8Array> {
  const lists: PackedList[] = [];
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (!isPackedList(part)) return part;
    lists.push(part);
    return marker;
  });
  const [beginning = '', ...between] = text.split(shownMarker);
  yield beginning;
  for (const [index, list] of lists.entries()) {
    yield* listPieces(list);
    yield between[index] ?? '';
  }
}

function isPackedList(part: unknown): part is PackedList {
  return typeof part === 'object' && part !== null && 'bytes' in part && part.bytes instanceof Uint8Array;
}

function* listPieces({ bytes, start, end }: PackedList): Generator<string | Uint8Array> {
  if (start === end) {
    yield '[]';
    return;
  }
  let separator = openBracket as number;
  for (let at = start; at < end; ) {
    const next = writePlain(bytes, at, end, separator);
    if (next > at) yield scratch.subarray(0, written);
    else yield String.fromCharCode(separator) + JSON.stringify(textAt(bytes, at));
    at = next > at ? next : textStart(bytes, at) + textLength(bytes, at);
    separator = comma as number;
  }
  yield ']';
}

/** How many bytes `writePlain` has put into the scratch buffer. */
let written = 0;

/**
 * Writes entries, each after its separator, until the piece is full or the next entry has something that JSON escapes.
 * @returns the place of that entry
 */
function writePlain(bytes: Uint8Array, start: number, end: number, first: number): number {
  let separator = first;
  let out = 0;
  let at = start;
  while (at < end) {
    const text = textStart(bytes, at);
    const length = textLength(bytes, at);
    if (out + length + aroundText > pieceBytes || !isPlain(bytes, text, text + length)) break;
    scratch[out] = separator;
    scratch[out + 1] = quote as number;
    out += 2;
    for (let from = text; from < text + length; from += 1, out += 1) scratch[out] = bytes[from] as number;
    scratch[out] = quote as number;
    out += 1;
    separator = comma as number;
    at = text + length;
  }
  written = out;
  return at;
}

/** Whether JSON can show the text unchanged: it is valid UTF-8, and has nothing that JSON escapes. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte < firstPlain || byte === quote || byte === backslash) return false;
  }
  return true;
}

function textAt(bytes: Uint8Array, at: number): string {
  const start = textStart(bytes, at);
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, textLength(bytes, at)).toString();
}
