import type { Json } from './conformance-case.ts';

type Matcher = (actual: Json | undefined, argument: Json, at: string) => string | null;

/** Every matcher by name. Each returns the problem, or null. */
const matchers: ReadonlyMap<string, Matcher> = new Map<string, Matcher>([
  ['$string', (actual, _argument, at) => check(typeof actual === 'string', at, 'a string', actual)],
  ['$boolean', (actual, _argument, at) => check(typeof actual === 'boolean', at, 'a boolean', actual)],
  ['$integer', (actual, _argument, at) => check(Number.isInteger(actual), at, 'an integer', actual)],
  ['$id', (actual, _argument, at) => check(isText(actual, /^[0-9A-Za-z]{20}$/), at, 'an id', actual)],
  ['$absent', (actual, _argument, at) => check(actual === undefined, at, 'absent', actual)],
  ['$present', (actual, _argument, at) => check(actual !== undefined, at, 'present', actual)],
  ['$gt', (actual, limit, at) => check(Number(actual) > Number(limit), at, `> ${limit}`, actual)],
  ['$gte', (actual, limit, at) => check(Number(actual) >= Number(limit), at, `>= ${limit}`, actual)],
  ['$lte', (actual, limit, at) => check(Number(actual) <= Number(limit), at, `<= ${limit}`, actual)],
  ['$contains', (actual, part, at) => check(contains(actual, part), at, `with ${show(part)}`, actual)],
  ['$includes', (actual, part, at) => check(isIn(actual, part), at, `with exactly ${show(part)}`, actual)],
  ['$regex', (actual, source, at) => check(isText(actual, source), at, `like ${source}`, actual)],
  ['$length', (actual, length, at) => check(lengthOf(actual) === length, at, `of length ${length}`, actual)],
  ['$list', (actual, items, at) => check(isListOf(actual, items), at, `the list ${show(items)}`, actual)],
  ['$near', (actual, ms, at) => check(isNear(actual, ms), at, `the time, within ${ms} ms`, actual)],
  ['$sorted', (actual, key, at) => check(isSorted(actual, String(key)), at, `sorted by ${key}`, actual)],
  ['$not', (actual, inner, at) => check(differs(actual, inner, at), at, `not ${show(inner)}`, actual)],
  ['$exactly', (actual, expected, at) => findMismatch(actual, expected, at, true)],
  ['$all', (actual, all, at) => firstProblem(all, (inner) => findMismatch(actual, inner, at, false))],
  ['$oneOf', (actual, all, at) => check(isOneOf(actual, all, at), at, `one of ${show(all)}`, actual)],
  ['$every', (actual, inner, at) => everyItem(actual, inner, at)],
  ['$some', (actual, inner, at) => check(someItem(actual, inner, at), at, `with ${show(inner)}`, actual)],
]);

/**
 * Compares a value with an expectation that may hold matchers.
 * @param isExact whether objects may have no keys beside the expected ones
 * @returns the first difference; null if there is none
 */
export function findMismatch(
  actual: Json | undefined,
  expected: Json,
  at: string,
  isExact: boolean,
): string | null {
  const matcher = matcherOf(expected);
  if (matcher !== null) return matcher(actual, at);
  if (Array.isArray(expected)) return compareArrays(actual, expected, at, isExact);
  if (expected !== null && typeof expected === 'object') {
    return compareObjects(actual, expected as { readonly [key: string]: Json }, at, isExact);
  }
  return check(Object.is(actual, expected) || actual === expected, at, show(expected), actual);
}

function matcherOf(expected: Json): ((actual: Json | undefined, at: string) => string | null) | null {
  if (expected === null || typeof expected !== 'object' || Array.isArray(expected)) return null;
  const entries = Object.entries(expected);
  if (!entries.some(([name]) => name.startsWith('$'))) return null;
  return (actual, at) => {
    for (const [name, argument] of entries) {
      const matcher = matchers.get(name);
      if (matcher === undefined) throw new Error(`unknown matcher ${name} at ${at}`);
      const problem = matcher(actual, argument, at);
      if (problem !== null) return problem;
    }
    return null;
  };
}

function compareArrays(
  actual: Json | undefined,
  expected: readonly Json[],
  at: string,
  isExact: boolean,
): string | null {
  if (!Array.isArray(actual) || actual.length !== expected.length) return wrong(at, show(expected), actual);
  for (const [index, item] of expected.entries()) {
    const problem = findMismatch(actual[index], item, `${at}[${index}]`, isExact);
    if (problem !== null) return problem;
  }
  return null;
}

function compareObjects(
  actual: Json | undefined,
  expected: { readonly [key: string]: Json },
  at: string,
  isExact: boolean,
): string | null {
  if (actual === undefined || actual === null || typeof actual !== 'object' || Array.isArray(actual)) {
    return wrong(at, show(expected), actual);
  }
  for (const [key, item] of Object.entries(expected)) {
    const problem = findMismatch(memberOf(actual, key), item, `${at}.${key}`, isExact);
    if (problem !== null) return problem;
  }
  const extra = Object.keys(actual).find((key) => !Object.hasOwn(expected, key));
  return isExact && extra !== undefined ? `${at} has the key ${show(extra)}, which is not expected` : null;
}

/** @returns an own member: `__proto__` is a name like any other. */
export function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
  return (value as { readonly [key: string]: Json })[key];
}

function check(holds: boolean, at: string, expected: string, actual: Json | undefined): string | null {
  return holds ? null : wrong(at, expected, actual);
}

function wrong(at: string, expected: string, actual: Json | undefined): string {
  return `${at}: expected ${expected}, got ${show(actual)}`;
}

function show(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

function isText(actual: Json | undefined, pattern: RegExp | Json): boolean {
  const expression = pattern instanceof RegExp ? pattern : new RegExp(String(pattern), 'u');
  return typeof actual === 'string' && expression.test(actual);
}

function contains(actual: Json | undefined, part: Json): boolean {
  if (typeof actual === 'string') return actual.toLowerCase().includes(String(part).toLowerCase());
  return Array.isArray(actual) && actual.includes(part);
}

/** Like `contains`, but case-sensitive: for sentences that the specification gives word for word. */
function isIn(actual: Json | undefined, part: Json): boolean {
  return typeof actual === 'string' && actual.includes(String(part));
}

function lengthOf(actual: Json | undefined): number {
  return typeof actual === 'string' || Array.isArray(actual) ? actual.length : -1;
}

function isListOf(actual: Json | undefined, items: Json): boolean {
  const split = (text: string): string =>
    text
      .toLowerCase()
      .split(/\s*,\s*/)
      .sort()
      .join();
  return typeof actual === 'string' && Array.isArray(items) && split(actual) === split(items.join(','));
}

function isNear(actual: Json | undefined, toleranceMs: Json): boolean {
  return Number.isInteger(actual) && Math.abs(Number(actual) - Date.now()) <= Number(toleranceMs);
}

/** Compares by name, then id, in the order of UTF-8, which is that of code points. */
function isSorted(actual: Json | undefined, keys: string): boolean {
  if (!Array.isArray(actual)) return false;
  const sortKey = (item: Json): Buffer =>
    Buffer.from(
      keys
        .split(',')
        .map((key) => String(memberOf(item, key)))
        .join('\0'),
    );
  return actual.every((item: Json, index) => {
    const before = actual[index - 1] as Json | undefined;
    return before === undefined || Buffer.compare(sortKey(before), sortKey(item)) <= 0;
  });
}

function differs(actual: Json | undefined, inner: Json, at: string): boolean {
  return findMismatch(actual, inner, at, true) !== null;
}

function isOneOf(actual: Json | undefined, all: Json, at: string): boolean {
  return Array.isArray(all) && all.some((inner: Json) => findMismatch(actual, inner, at, false) === null);
}

function firstProblem(all: Json, look: (inner: Json) => string | null): string | null {
  for (const inner of Array.isArray(all) ? (all as readonly Json[]) : [all]) {
    const problem = look(inner);
    if (problem !== null) return problem;
  }
  return null;
}

function everyItem(actual: Json | undefined, inner: Json, at: string): string | null {
  if (actual === undefined || actual === null || typeof actual !== 'object')
    return wrong(at, 'a list', actual);
  for (const [key, item] of Object.entries(actual)) {
    const problem = findMismatch(item as Json, inner, `${at}.${key}`, false);
    if (problem !== null) return problem;
  }
  return null;
}

function someItem(actual: Json | undefined, inner: Json, at: string): boolean {
  if (!Array.isArray(actual)) return false;
  return actual.some((item: Json) => findMismatch(item, inner, at, false) === null);
}
