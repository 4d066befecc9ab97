import type { Expected, Json } from './conformance-case.ts';

/** The values of placeholders: provisioned ids and secrets, and values captured by earlier steps. */
export type PlaceholderValues = ReadonlyMap<string, Json>;

const pattern = /\$\{([^}]+)\}/g;

const filters: ReadonlyMap<string, (text: string) => string> = new Map([
  ['escaped', (text) => [...Buffer.from(text)].map((byte) => `%${hex(byte)}`).join('')],
  ['truncated', (text) => text.slice(0, -1)],
  ['altered', (text) => `${text.slice(0, 20)}${text[20] === 'x' ? 'y' : 'x'}${text.slice(21)}`],
  ['bare', (text) => text.slice(text.lastIndexOf('_') + 1)],
  ['swapped', (text) => text.replace(/[a-zA-Z](?=[^a-zA-Z]*$)/, swapCase)],
  ['head', (text) => text.slice(0, -4)],
]);

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}

/** @returns every placeholder in a value, filters cut off. */
export function placeholdersIn(value: unknown): string[] {
  const text = JSON.stringify(value) ?? '';
  return [...text.matchAll(pattern)].map((match) => (match[1] ?? '').split('|')[0] ?? '');
}

/**
 * Replaces placeholders in every string. A string that is only a placeholder becomes its value, of any type.
 * @throws on a placeholder without a value
 */
export function fillPlaceholders<Value extends Expected>(value: Value, values: PlaceholderValues): Value {
  if (typeof value === 'string') return fillText(value, values) as Value;
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, values)) as unknown as Value;
  if (value === null || typeof value !== 'object' || value instanceof RegExp) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    String(fillText(key, values)),
    fillPlaceholders(item, values),
  ]);
  // `fromEntries` defines properties: an environment may be called `__proto__`.
  return Object.fromEntries(entries) as Value;
}

/** Like `fillPlaceholders`, for text. */
export function fillString(text: string, values: PlaceholderValues): string {
  return String(fillText(text, values));
}

function fillText(text: string, values: PlaceholderValues): Json {
  const whole = /^\$\{([^}|]+)\}$/.exec(text)?.[1];
  if (whole !== undefined) return lookUp(whole, values);
  return text.replace(pattern, (_match, content: string) => {
    const [name = '', ...names] = content.split('|');
    return names.reduce((value, filter) => applyFilter(filter, value), String(lookUp(name, values)));
  });
}

function applyFilter(name: string, text: string): string {
  const filter = filters.get(name);
  if (filter === undefined) throw new Error(`unknown filter ${name}`);
  return filter(text);
}

function lookUp(name: string, values: PlaceholderValues): Json {
  const value = values.get(name);
  if (value === undefined) throw new Error(`unknown placeholder \${${name}}`);
  return value;
}
