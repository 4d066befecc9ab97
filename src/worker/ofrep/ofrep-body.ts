import { isUtf8 } from 'node:buffer';
import type { OpenFeatureContext } from '../../domain/evaluation/open-feature-context.ts';
import { contextValuesMax } from '../../domain/evaluation/query-fault.ts';
import { nestingMax, scanJson } from '../../support/json-scan.ts';
import {
  booleanOf,
  entriesOf,
  exactNumberOf,
  itemsOf,
  type JsonValue,
  kindOf,
  rootOf,
  stringOf,
} from '../../support/json-value.ts';
import {
  bodyIsNoJson,
  bodyIsNoObject,
  bodyTooDeep,
  contextIsNoObject,
  contextTooLarge,
  keyIsNoText,
  type OfrepRefusal,
} from './ofrep-problems.ts';

/** The most bytes of a body (docs/limits.md). */
export const ofrepBodyBytesMax = 64 * 1024;
/**
 * The longest body that `JSON.parse` reads. For a longer one of brackets or small objects it would need tens of
 * milliseconds, so longer bodies are scanned without making objects. A scan takes up to a millisecond, so it goes through
 * the queue of reads.
 */
export const shortBodyBytesMax = 4096;

const highestAscii = 0x7f;
const nothing: OpenFeatureContext = {};

/** A context, or why there is none. */
export type ReadContext = { readonly context: OpenFeatureContext } | OfrepRefusal;

/**
 * Reads the context of a request's body. If a key is repeated, its last value counts, as everywhere. A context that is
 * absent or `null` is empty.
 * @param bytes valid during the call only
 */
export function readOfrepBody(bytes: Uint8Array): ReadContext {
  const text = textOf(bytes);
  if (text === null) return bodyIsNoJson;
  // `JSON.parse` would round a whole number with this many digits.
  const isParsed = text.length <= shortBodyBytesMax && !/\d{16}/.test(text);
  return isParsed ? parseWhole(text) : readScanned(text);
}

/** Node's own methods, which its type declarations leave out: they need no buffer around the bytes. */
interface Slicing {
  latin1Slice(this: Uint8Array, start: number, end: number): string;
  utf8Slice(this: Uint8Array, start: number, end: number): string;
}
const { latin1Slice, utf8Slice } = Buffer.prototype as unknown as Slicing;

/** @returns null when it is not UTF-8. Most bodies are ASCII: for them this loop costs less than a call of `isUtf8`. */
function textOf(bytes: Uint8Array): string | null {
  const { length } = bytes;
  for (let at = 0; at < length; at += 1) {
    if ((bytes[at] as number) > highestAscii) return isUtf8(bytes) ? utf8Slice.call(bytes, 0, length) : null;
  }
  return latin1Slice.call(bytes, 0, length);
}

function parseWhole(text: string): ReadContext {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return bodyIsNoJson;
  }
  if (!isObject(body)) return bodyIsNoObject;
  const { context } = body;
  if (context === undefined || context === null) return { context: nothing };
  if (!isObject(context)) return contextIsNoObject;
  const { targetingKey } = context;
  if (typeof targetingKey === 'object' && targetingKey !== null) return keyIsNoText;
  // Each value takes at least two characters.
  if (text.length > 2 * contextValuesMax && hasTooManyValues(context)) return contextTooLarge;
  return { context };
}

function hasTooManyValues(context: OpenFeatureContext): boolean {
  let count = 0;
  for (const value of Object.values(context)) count += countValues(value);
  return count > contextValuesMax;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readScanned(text: string): ReadContext {
  const fault = scanJson(text, nestingMax);
  if (fault !== null) return fault.kind === 'too-deep' ? bodyTooDeep : bodyIsNoJson;
  const root = rootOf(text);
  if (kindOf(root) !== 'object') return bodyIsNoObject;
  let context: JsonValue | null = null;
  for (const [key, member] of entriesOf(root)) if (key === 'context') context = member;
  if (context === null || kindOf(context) === 'null') return { context: nothing };
  if (kindOf(context) !== 'object') return contextIsNoObject;
  const values = new Map<string, unknown>();
  let count = 0;
  let hasUsableKey = true;
  for (const [name, value] of entriesOf(context)) {
    if (name === 'targetingKey') hasUsableKey = kindOf(value) !== 'object' && kindOf(value) !== 'array';
    const used = usedValueOf(value);
    count += countValues(used);
    if (count > contextValuesMax) return contextTooLarge;
    values.set(name, used);
  }
  return hasUsableKey ? { context: Object.fromEntries(values) } : keyIsNoText;
}

/** @returns how many values it adds to a context, including those that evaluation cannot use */
function countValues(value: unknown): number {
  return Array.isArray(value) ? Math.max(1, value.length) : 1;
}

/** @returns what evaluation can use of a value: objects, and lists in lists, become null */
function usedValueOf(value: JsonValue): unknown {
  if (kindOf(value) !== 'array') return scalarOf(value);
  const items: (string | number | boolean | null)[] = [];
  for (const item of itemsOf(value)) {
    items.push(scalarOf(item));
    // These alone are too many.
    if (items.length > contextValuesMax) break;
  }
  return items;
}

function scalarOf(value: JsonValue): string | number | boolean | null {
  return stringOf(value) ?? exactNumberOf(value) ?? booleanOf(value) ?? null;
}
