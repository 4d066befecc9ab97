/**
 * Lists of exact values as people write them: one a line, or separated by commas. Blanks around a value are dropped. A
 * value with outer blanks or a comma stands in double quotes, in which a doubled quote is one quote, as in CSV.
 */

const endings = new Set([',', '\n', '\r']);

/** A quoted value with what may follow it: blanks up to a separator or the end. */
const quoted = /"([^"]*(?:""[^"]*)*)"[^\S\n\r]*(?=[,\n\r]|$)/y;
/** A quote that nothing has ended yet. */
const unended = /"[^"]*(?:""[^"]*)*$/y;

/** Without a second quote that ends it, a quote is a character like any other. */
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

/** The values that `text` holds, in their order; what is not quoted is trimmed, and nothing where it is empty. */
export function parseValues(text: string): string[] {
  return readValues(text).values;
}

/** Whether a comma after `text` would be part of a value: one that a quote has begun and none has ended. */
export function isWithinQuotes(text: string): boolean {
  return readValues(text).isWithinQuotes;
}

/** A value as one would write it: what {@link parseValues} reads as just that value. */
export function writtenValue(value: string): string {
  const isPlain = value !== '' && value === value.trim() && !/^"|[,\n\r]/.test(value);
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}

/** The first that has more characters than it may have. */
export function tooLongValue(values: readonly string[], codePointsMax: number): string | undefined {
  return values.find((value) => Array.from(value).length > codePointsMax);
}

/** `present` with what was put in and taken out between `begun` and `edited`: others may have changed it meanwhile. */
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

/** What was there, and then what is new; each once, upper and lower case told apart as the service does. */
export function withValues(present: readonly string[], added: readonly string[]): string[] {
  return Array.from(new Set([...present, ...added]));
}
