import type { Expected, Json } from './conformance-case.ts';

type Actual = Json | undefined;

/** Every matcher by name: whether a value passes it. */
const matchers: Readonly<Record<string, (actual: Actual, argument: Expected) => boolean>> = {
  $string: (actual) => typeof actual === 'string',
  $boolean: (actual) => typeof actual === 'boolean',
  $integer: (actual) => Number.isInteger(actual),
  $id: (actual) => matches(actual, /^[0-9A-Za-z]{20}$/),
  $absent: (actual) => actual === undefined,
  $present: (actual) => actual !== undefined,
  $gt: (actual, limit) => Number(actual) > Number(limit),
  $gte: (actual, limit) => Number(actual) >= Number(limit),
  $lte: (actual, limit) => Number(actual) <= Number(limit),
  /** A text with this part, in upper or lower case, or a list with this item. */
  $contains: (actual, part) =>
    typeof actual === 'string'
      ? actual.toLowerCase().includes(String(part).toLowerCase())
      : Array.isArray(actual) && actual.includes(part),
  /** Like `$contains`, but case-sensitive: for sentences that the specification gives word for word. */
  $includes: (actual, part) => typeof actual === 'string' && actual.includes(String(part)),
  /** For a pattern with a placeholder in it. */
  $regex: (actual, source) => matches(actual, new RegExp(String(source), 'u')),
  $length: (actual, length) =>
    (typeof actual === 'string' || Array.isArray(actual)) && actual.length === length,
  /** A text that lists these words with commas, in any order and case. */
  $list: (actual, words) => typeof actual === 'string' && sortWords(actual) === sortWords(String(words)),
  /** The time now, give or take these milliseconds. */
  $near: (actual, ms) => Number.isInteger(actual) && Math.abs(Number(actual) - Date.now()) <= Number(ms),
  $sorted: (actual, keys) => Array.isArray(actual) && isSorted(actual, String(keys).split(',')),
  $not: (actual, inner) => findMismatch(actual, inner, '', true) !== null,
  $exactly: (actual, expected) => findMismatch(actual, expected, '', true) === null,
  $all: (actual, all) => (all as readonly Expected[]).every((inner) => passes(actual, inner)),
  $oneOf: (actual, all) => (all as readonly Expected[]).some((inner) => passes(actual, inner)),
  $every: (actual, inner) =>
    actual !== null &&
    typeof actual === 'object' &&
    Object.values(actual).every((item) => passes(item, inner)),
  $some: (actual, inner) => Array.isArray(actual) && actual.some((item: Json) => passes(item, inner)),
};

/**
 * Compares a value with an expectation that may hold matchers.
 * @param isExact whether objects may have no other keys than the expected ones
 * @returns the first difference; null if there is none
 */
export function findMismatch(
  actual: Actual,
  expected: Expected,
  at: string,
  isExact: boolean,
): string | null {
  const wrong = (): string => `${at}: expected ${show(expected)}, got ${show(actual)}`;
  if (expected instanceof RegExp) return matches(actual, expected) ? null : wrong();
  if (expected === null || typeof expected !== 'object') return actual === expected ? null : wrong();
  const entries = Object.entries(expected);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return wrong();
  } else if (entries.some(([name]) => name.startsWith('$'))) {
    return entries.every(([name, argument]) => matcherOf(name)(actual, argument)) ? null : wrong();
  } else if (actual === undefined || actual === null || typeof actual !== 'object' || Array.isArray(actual)) {
    return wrong();
  }
  for (const [key, item] of entries) {
    const problem = findMismatch(memberOf(actual, key), item, `${at}.${key}`, isExact);
    if (problem !== null) return problem;
  }
  const extra = Object.keys(actual).find((key) => !Object.hasOwn(expected, key));
  return isExact && extra !== undefined ? `${at} has the key ${show(extra)}, which is not expected` : null;
}

/** @returns an own member: `__proto__` is a name like any other. */
export function memberOf(value: unknown, key: string): Json | undefined {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
  return (value as { readonly [key: string]: Json })[key];
}

function matcherOf(name: string): (actual: Actual, argument: Expected) => boolean {
  const matcher = matchers[name];
  if (matcher === undefined) throw new Error(`unknown matcher ${name}`);
  return matcher;
}

function passes(actual: Actual, expected: Expected): boolean {
  return findMismatch(actual, expected, '', false) === null;
}

function matches(actual: Actual, pattern: RegExp): boolean {
  return typeof actual === 'string' && pattern.test(actual);
}

function sortWords(text: string): string {
  return text
    .toLowerCase()
    .split(/\s*,\s*/)
    .sort()
    .join();
}

/** In the order of UTF-8, which is that of code points. */
function isSorted(items: readonly Json[], keys: readonly string[]): boolean {
  const sortKeys = items.map((item) =>
    Buffer.from(keys.map((key) => String(memberOf(item, key))).join('\0')),
  );
  return sortKeys.every((sortKey, index) => Buffer.compare(sortKeys[index - 1] ?? sortKey, sortKey) <= 0);
}

function show(value: Expected | undefined): string {
  const text =
    JSON.stringify(value, (_key, part) => (part instanceof RegExp ? String(part) : part)) ?? 'nothing';
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
