import { isIP } from 'node:net';
import { resolve } from 'node:path';
import {
  type TArray,
  type TInteger,
  type TNull,
  type TSchema,
  type TString,
  type TUnion,
  type TUnsafe,
  Type,
} from 'typebox';
import { formatByteSize, parseByteSize } from './byte-size.ts';
import type { Setting } from './setting.ts';

type Fallback<Schema extends TSchema> = Setting<Schema>['fallback'];

const listItemsMax = 1000;

export interface Described<Schema extends TSchema> {
  readonly fallback: Fallback<Schema>;
  readonly description: string;
}

/** What most kinds have in common. */
export const plain = {
  isSecret: false,
  fromJson: (value: unknown) => value,
  toText: (value: unknown) => String(value),
};

/** A whole number, written in decimal. */
export function integerSetting(
  range: { readonly minimum: number; readonly maximum: number },
  described: Described<TInteger>,
): Setting<TInteger> {
  return {
    ...plain,
    ...described,
    schema: Type.Integer(range),
    expected: `a whole number from ${range.minimum} to ${range.maximum}`,
    placeholder: 'number',
    fromText: (text) => (/^\d{1,15}$/.test(text.trim()) ? Number(text) : text),
  };
}

/** A port, or `off` (in the file also null). */
export function optionalPortSetting(
  described: Described<TUnion<[TInteger, TNull]>>,
): Setting<TUnion<[TInteger, TNull]>> {
  const fromText = (text: string): unknown => {
    const trimmed = text.trim();
    if (trimmed === 'off') return null;
    return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : text;
  };
  return {
    ...plain,
    ...described,
    schema: Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.Null()]),
    expected: 'a whole number from 0 to 65535, or off',
    placeholder: 'number',
    fromText,
    fromJson: (value) => (typeof value === 'string' ? fromText(value) : value),
    toText: (value) => (value === null ? 'off' : String(value)),
  };
}

/** A size in bytes: a whole number, or one with the unit KiB, MiB, GiB or TiB. */
export function bytesSetting(
  range: { readonly minimum: number; readonly maximum: number },
  described: Described<TInteger>,
): Setting<TInteger> {
  const fromText = (text: string): unknown => parseByteSize(text) ?? text;
  return {
    ...plain,
    ...described,
    schema: Type.Integer(range),
    expected: `a size from ${formatByteSize(range.minimum)} to ${formatByteSize(range.maximum)}, such as 64GiB, 256MiB or a number of bytes`,
    placeholder: 'size',
    fromText,
    fromJson: (value) => (typeof value === 'string' ? fromText(value) : value),
    toText: (value) => formatByteSize(Number(value)),
  };
}

/** A text that matches a pattern. */
export function textSetting(
  form: { readonly pattern: string; readonly expected: string; readonly placeholder: string },
  described: Described<TString>,
): Setting<TString> {
  return {
    ...plain,
    ...described,
    schema: Type.String({ pattern: form.pattern }),
    expected: form.expected,
    placeholder: form.placeholder,
    fromText: (text) => text.trim(),
  };
}

/** A path, made absolute from the working directory. */
export function pathSetting(described: Described<TString>): Setting<TString> {
  const absolute = (value: unknown): unknown =>
    typeof value === 'string' && value !== '' ? resolve(value) : value;
  return {
    ...plain,
    ...described,
    schema: Type.String({ minLength: 1 }),
    expected: 'a path',
    placeholder: 'dir',
    fromText: absolute,
    fromJson: absolute,
  };
}

/** A path that may be absent: `off`, in the file also null. */
export function optionalPathSetting(
  described: Described<TUnion<[TString, TNull]>>,
): Setting<TUnion<[TString, TNull]>> {
  const absolute = (value: unknown): unknown => {
    if (value === 'off') return null;
    return typeof value === 'string' && value !== '' ? resolve(value) : value;
  };
  return {
    ...plain,
    ...described,
    schema: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
    expected: 'a path, or off',
    placeholder: 'file',
    fromText: absolute,
    fromJson: absolute,
    toText: (value) => (value === null ? 'off' : String(value)),
  };
}

/** An optional text: `off`, in the file also null, for none. */
export function optionalTextSetting(
  form: { readonly pattern: string; readonly expected: string; readonly placeholder: string },
  described: Described<TUnion<[TString, TNull]>> & { readonly isSecret: boolean },
): Setting<TUnion<[TString, TNull]>> {
  const normalised = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    const text = value.trim();
    return text === 'off' ? null : text;
  };
  return {
    ...plain,
    ...described,
    schema: Type.Union([Type.String({ pattern: form.pattern }), Type.Null()]),
    expected: form.expected,
    placeholder: form.placeholder,
    fromText: normalised,
    fromJson: normalised,
    toText: (value) => (value === null ? 'off' : String(value)),
  };
}

/** One of a few words. */
export function choiceSetting<const Choice extends string>(
  choices: readonly Choice[],
  described: Described<TUnsafe<Choice>>,
): Setting<TUnsafe<Choice>> {
  return {
    ...plain,
    ...described,
    schema: Type.Unsafe<Choice>(Type.Enum([...choices])),
    expected: `one of ${choices.join(', ')}`,
    placeholder: 'word',
    fromText: (text) => text.trim(),
  };
}

/** Several texts: separated by commas in a text, an array in the file. */
export function listSetting(
  item: { readonly pattern: string; readonly expected: string; readonly placeholder: string },
  described: Described<TArray<TString>>,
): Setting<TArray<TString>> {
  return {
    ...plain,
    ...described,
    schema: Type.Array(Type.String({ pattern: item.pattern }), { maxItems: listItemsMax }),
    expected: item.expected,
    placeholder: item.placeholder,
    fromText: splitList,
    toText: (value) => (Array.isArray(value) ? value.join(',') : String(value)),
  };
}

/** Networks in CIDR form; a bare address is a network of one. */
export function networksSetting(described: Described<TArray<TString>>): Setting<TArray<TString>> {
  const form = {
    pattern: '^[0-9A-Fa-f.:]+/\\d+$',
    expected: 'networks such as 10.0.0.0/8 or 2001:db8::/32, or single addresses, separated by commas',
    placeholder: 'networks',
  };
  const list = listSetting(form, described);
  const normalised = (value: unknown): unknown => (Array.isArray(value) ? value.map(toNetwork) : value);
  return { ...list, fromText: (text) => normalised(splitList(text)), fromJson: normalised };
}

function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

/** @returns the network as text, or null (which the schema refuses) when it is not a network. */
function toNetwork(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const [address = '', length, ...rest] = value.trim().split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return null;
  const lengthMax = version === 4 ? 32 : 128;
  if (length === undefined) return `${address}/${lengthMax}`;
  return /^\d{1,3}$/.test(length) && Number(length) <= lengthMax ? `${address}/${Number(length)}` : null;
}
