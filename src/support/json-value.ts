/**
 * A value in a text that `scanJson` has accepted, parsed only when it is read. `JSON.parse` would make an object for
 * each of a hundred thousand unknown keys, and does not preserve the order of keys that look like numbers. Keys are
 * strings in a `Map`, so `__proto__` is a key like any other.
 */
export interface JsonValue {
  readonly text: string;
  /** Offset of the value's first character. */
  readonly at: number;
}

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

const quote = 0x22;
const backslash = 0x5c;

/** @param text a text for which `scanJson` returned null. */
export function rootOf(text: string): JsonValue {
  return { text, at: skipSpace(text, 0) };
}

/** A value that is already in memory, for readers that expect a JSON value. */
export function jsonValueOf(value: object | string | number | boolean | null): JsonValue {
  return rootOf(JSON.stringify(value));
}

export function kindOf({ text, at }: JsonValue): JsonKind {
  switch (text[at]) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return 'number';
  }
}

/** @returns the string's value, escapes resolved, or undefined when the value is not a string. */
export function stringOf(value: JsonValue): string | undefined {
  return kindOf(value) === 'string' ? stringAt(value.text, value.at, endOf(value.text, value.at)) : undefined;
}

/** @returns the number as `JSON.parse` reads it, or undefined when the value is not a number. */
export function numberOf(value: JsonValue): number | undefined {
  if (kindOf(value) !== 'number') return undefined;
  return Number(value.text.slice(value.at, endOf(value.text, value.at)));
}

/** @returns the number, or the digits of a whole number that JavaScript would round; undefined for another value */
export function exactNumberOf(value: JsonValue): number | string | undefined {
  const number = numberOf(value);
  if (number === undefined || Number.isSafeInteger(number)) return number;
  const written = value.text.slice(value.at, endOf(value.text, value.at));
  return /^-?\d+$/.test(written) ? written : number;
}

export function booleanOf(value: JsonValue): boolean | undefined {
  return kindOf(value) === 'boolean' ? value.text[value.at] === 't' : undefined;
}

/** The items of an array in order, undefined for each item that is not a string; no items when the value is not an array. */
export function* stringItemsOf(value: JsonValue): Generator<string | undefined> {
  if (kindOf(value) !== 'array') return;
  const { text } = value;
  let at = skipSpace(text, value.at + 1);
  while (text[at] !== ']') {
    const end = endOf(text, at);
    yield text[at] === '"' ? stringAt(text, at, end) : undefined;
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

/** The items of an array in order; none when the value is not an array. */
export function* itemsOf(value: JsonValue): Generator<JsonValue> {
  if (kindOf(value) !== 'array') return;
  const { text } = value;
  let at = skipSpace(text, value.at + 1);
  while (text[at] !== ']') {
    yield { text, at };
    at = skipSpace(text, endOf(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

/** The members of an object in the order sent, with repeated keys; none when the value is not an object. */
export function* entriesOf(value: JsonValue): Generator<readonly [string, JsonValue]> {
  if (kindOf(value) !== 'object') return;
  const { text } = value;
  let at = skipSpace(text, value.at + 1);
  while (text[at] !== '}') {
    const keyEnd = endOf(text, at);
    const memberAt = skipSpace(text, skipSpace(text, keyEnd) + 1);
    yield [stringAt(text, at, keyEnd), { text, at: memberAt }];
    at = skipSpace(text, endOf(text, memberAt));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

/** The members of an object that are read, and the number of the others. */
export interface JsonMembers {
  /** In the order sent. If a key is repeated, its last value counts, as with `JSON.parse`. */
  readonly listed: ReadonlyMap<string, JsonValue>;
  /** Number of further unknown keys; repeated ones count each time. */
  readonly unlistedCount: number;
}

/**
 * Lists every known member of an object and the first `unknownMax` unknown ones. The others are only counted: a table
 * of a hundred thousand unknown keys would take longer than a request may.
 */
export function jsonMembersOf(
  value: JsonValue,
  isKnown: (key: string) => boolean,
  unknownMax: number,
): JsonMembers {
  const listed = new Map<string, JsonValue>();
  let unknownCount = 0;
  let unlistedCount = 0;
  for (const [key, member] of entriesOf(value)) {
    if (isKnown(key) || (unknownCount < unknownMax && listed.has(key))) listed.set(key, member);
    else if (unknownCount < unknownMax) {
      unknownCount++;
      listed.set(key, member);
    } else unlistedCount++;
  }
  return { listed, unlistedCount };
}

function stringAt(text: string, at: number, end: number): string {
  const inner = text.slice(at + 1, end - 1);
  return inner.includes('\\') ? String(JSON.parse(text.slice(at, end))) : inner;
}

/** @returns the offset after the value at `at`. */
function endOf(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return stringEnd(text, at);
  return first === '{' || first === '[' ? containerEnd(text, at) : scalarEnd(text, at);
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at++;
  }
}

function containerEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ; ) {
    const first = text[at];
    if (first === '"') {
      at = stringEnd(text, at);
      continue;
    }
    at++;
    if (first === '{' || first === '[') depth++;
    else if ((first === '}' || first === ']') && --depth === 0) return at;
  }
}

function scalarEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !isScalarEnd(text.charCodeAt(at))) at++;
  return at;
}

/** White space, a comma, `]` or `}`. */
function isScalarEnd(code: number): boolean {
  return code <= 0x20 || code === 0x2c || code === 0x5d || code === 0x7d;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}
