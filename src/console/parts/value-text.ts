/**
 * Lists of exact values as people type them: one per line, or separated by commas. Blanks around a value are dropped. A
 * value with outer blanks or a comma is put in double quotes, where a doubled quote means one quote, as in CSV.
 */

const endings = new Set([',', '\n', '\r']);

/** A quoted value with what may follow it: blanks up to a separator or the end. */
const quoted = /"([^"]*(?:""[^"]*)*)"[^\S\n\r]*(?=[,\n\r]|$)/y;
/** A quote that is not closed yet. */
const unended = /"[^"]*(?:""[^"]*)*$/y;

/** A quote that no second quote closes is an ordinary character. */
function quotedAt(text: string, at: number): { readonly value: string; readonly end: number } | null {
  quoted.lastIndex = at;
  const found = quoted.exec(text);
  if (found === null) return null;
  return { value: (found[1] ?? '').replaceAll('""', '"'), end: quoted.lastIndex };
}

function isUnendedAt(text: string, at: number): boolean {
  unended.lastIndex = at;
  return unended.test(text);
}

function endOfPlain(text: string, from: number): number {
  let at = from;
  while (at < text.length && !endings.has(text[at] ?? '')) at += 1;
  return at;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && (text[at] ?? '').trim() === '') at += 1;
  return at;
}

interface Reading {
  readonly values: string[];
  /** A comma after the text would be part of a value. */
  readonly isWithinQuotes: boolean;
}

function readValues(text: string): Reading {
  const values: string[] = [];
  let isWithinQuotes = false;
  let at = afterBlanks(text, 0);
  while (at < text.length) {
    const isQuote = text[at] === '"';
    const inQuotes = isQuote ? quotedAt(text, at) : null;
    isWithinQuotes ||= isQuote && inQuotes === null && isUnendedAt(text, at);
    const end = inQuotes?.end ?? endOfPlain(text, at);
    if (inQuotes !== null) values.push(inQuotes.value);
    else if (end > at) values.push(text.slice(at, end).trim());
    at = afterBlanks(text, end + 1);
  }
  return { values, isWithinQuotes };
}

/** The values in `text`, in their order; values without quotes are trimmed, and empty ones dropped. */
export function parseValues(text: string): string[] {
  return readValues(text).values;
}

/** Whether a comma after `text` would be part of a value: of one whose quote is not closed. */
export function isWithinQuotes(text: string): boolean {
  return readValues(text).isWithinQuotes;
}

/** A value as one would type it: {@link parseValues} reads exactly that value from it. */
export function writtenValue(value: string): string {
  const isPlain = value !== '' && value === value.trim() && !/^"|[,\n\r]/.test(value);
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}

/** The first value that is too long. */
export function tooLongValue(values: readonly string[], codePointsMax: number): string | undefined {
  return values.find((value) => Array.from(value).length > codePointsMax);
}

/**
 * `present` with the values that were added and removed between `begun` and `edited`: others may have changed it
 * meanwhile.
 */
export function withEdits(
  present: readonly string[],
  begun: readonly string[],
  edited: readonly string[],
): string[] {
  const [was, is] = [new Set(begun), new Set(edited)];
  const kept = present.filter((value) => is.has(value) || !was.has(value));
  return withValues(
    kept,
    edited.filter((value) => !was.has(value)),
  );
}

/** The old values, then the new ones; each once. Case is compared, as in the service. */
export function withValues(present: readonly string[], added: readonly string[]): string[] {
  return Array.from(new Set([...present, ...added]));
}
