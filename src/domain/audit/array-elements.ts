/** The place of an element in a text: from `start` to before `end`. */
export interface ArrayElement {
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** Texts, brackets and commas between two pauses: some tens of microseconds. */
const tokensBetweenPauses = 1000;

/**
 * Finds the elements of a JSON array of any length, with pauses.
 * @param text JSON without white space, as `JSON.stringify` writes it
 * @param start offset of the array
 * @returns each element; a null is a pause in which other requests are served.
 */
export function* arrayElements(text: string, start: number): Generator<ArrayElement | null> {
  let [depth, from, tokens] = [0, start + 1, 0];
  for (let at = start; at < text.length; at += 1) {
    tokens += 1;
    if (tokens % tokensBetweenPauses === 0) yield null;
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (code === closeBracket || code === closeBrace) depth -= 1;
    const isEnd = depth === 0;
    if (isEnd ? at > from : depth === 1 && code === comma) {
      yield { start: from, end: at };
      from = at + 1;
    }
    if (isEnd) return;
  }
}

/** @returns the offset of the quote that ends the string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}
