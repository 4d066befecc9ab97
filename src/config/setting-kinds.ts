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

const listItemsMax = 1000;

/** What a setting adds to its kind. */
type Described<Schema extends TSchema> = Pick<Setting<Schema>, 'fallback' | 'description'>;
/** How values of a kind are read, checked and shown. */
type Kind<Schema extends TSchema> = Omit<Setting<Schema>, 'fallback' | 'description'>;
type OrOff<Schema extends TSchema> = TUnion<[Schema, TNull]>;

interface TextForm {
  readonly pattern: string;
  readonly expected: string;
  readonly placeholder: string;
}

/** What most kinds have in common. */
const plain = {
  isSecret: false,
  fromJson: (value: unknown) => value,
  toText: (value: unknown) => String(value),
};

/** A value that is read alike from a text and from the file. */
function readBy(read: (text: string) => unknown) {
  return {
    ...plain,
    fromText: read,
    fromJson: (value: unknown) => (typeof value === 'string' ? read(value) : value),
  };
}

/** The same kind of value, or `off`: in the file also null. */
function orOff<Schema extends TSchema>(kind: Kind<Schema>): Kind<OrOff<Schema>> {
  const isOff = (value: unknown): boolean => typeof value === 'string' && value.trim() === 'off';
  return {
    ...kind,
    schema: Type.Union([kind.schema, Type.Null()]),
    expected: `${kind.expected}, or off`,
    fromText: (text) => (isOff(text) ? null : kind.fromText(text)),
    fromJson: (value) => (isOff(value) ? null : kind.fromJson(value)),
    toText: (value) => (value === null ? 'off' : kind.toText(value)),
  };
}

function integerKind(range: { readonly minimum: number; readonly maximum: number }): Kind<TInteger> {
  return {
    ...plain,
    schema: Type.Integer(range),
    expected: `a whole number from ${range.minimum} to ${range.maximum}`,
    placeholder: 'number',
    fromText: (text) => (/^\d{1,15}$/.test(text.trim()) ? Number(text) : text),
  };
}

/** A whole number, written in decimal. */
export function integerSetting(
  range: { readonly minimum: number; readonly maximum: number },
  described: Described<TInteger>,
): Setting<TInteger> {
  return { ...integerKind(range), ...described };
}

/** A port, or `off`. */
export function optionalPortSetting(described: Described<OrOff<TInteger>>): Setting<OrOff<TInteger>> {
  const kind = integerKind({ minimum: 0, maximum: 65_535 });
  return { ...orOff({ ...kind, ...readBy(kind.fromText) }), ...described };
}

/** A size in bytes: a whole number, or one with the unit KiB, MiB, GiB or TiB. */
export function bytesSetting(
  range: { readonly minimum: number; readonly maximum: number },
  described: Described<TInteger>,
): Setting<TInteger> {
  return {
    ...readBy((text) => parseByteSize(text) ?? text),
    ...described,
    schema: Type.Integer(range),
    expected: `a size from ${formatByteSize(range.minimum)} to ${formatByteSize(range.maximum)}, such as 64GiB, 256MiB or a number of bytes`,
    placeholder: 'size',
    toText: (value) => formatByteSize(Number(value)),
  };
}

function textKind({ pattern, ...form }: TextForm): Kind<TString> {
  return { ...readBy((text) => text.trim()), ...form, schema: Type.String({ pattern }) };
}

/** A text that matches a pattern. */
export function textSetting(form: TextForm, described: Described<TString>): Setting<TString> {
  return { ...textKind(form), ...described };
}

/** A text that matches a pattern, or `off`. */
export function optionalTextSetting(
  form: TextForm,
  described: Described<OrOff<TString>> & { readonly isSecret: boolean },
): Setting<OrOff<TString>> {
  return { ...orOff(textKind(form)), ...described };
}

const pathKind: Kind<TString> = {
  ...readBy((text) => (text === '' ? text : resolve(text))),
  schema: Type.String({ minLength: 1 }),
  expected: 'a path',
  placeholder: 'dir',
};

/** A path, made absolute from the working directory. */
export function pathSetting(described: Described<TString>): Setting<TString> {
  return { ...pathKind, ...described };
}

/** The path of a file, or `off`. */
export function optionalPathSetting(described: Described<OrOff<TString>>): Setting<OrOff<TString>> {
  return { ...orOff({ ...pathKind, placeholder: 'file' }), ...described };
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
export function listSetting(item: TextForm, described: Described<TArray<TString>>): Setting<TArray<TString>> {
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
  const normalised = (value: unknown): unknown => (Array.isArray(value) ? value.map(toNetwork) : value);
  return {
    ...listSetting(form, described),
    fromText: (text) => normalised(splitList(text)),
    fromJson: normalised,
  };
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

/** An `http:` or `https:` address. A slash at its end is dropped, so that paths can be appended. */
export function urlSetting(described: Described<TString>): Setting<TString> {
  return {
    ...readBy((text) => text.trim().replace(/\/+$/, '')),
    ...described,
    schema: Type.String({ pattern: '^https?://[^\\s/?#]+[^\\s?#]*$' }),
    expected: 'an http:// or https:// address without query or fragment',
    placeholder: 'url',
  };
}

/** The path goes into pages and cookies, so it has only characters that mean nothing there. */
export function baseUrlSetting(described: Described<TString>): Setting<TString> {
  return {
    ...urlSetting(described),
    schema: Type.String({ pattern: '^https?://[^\\s/?#]+(/[\\w~-][\\w.~-]*)*$' }),
    expected: 'an http:// or https:// address, with a path of letters, digits and ._~- if any',
  };
}

/** @param normalised returns the address as it is kept, or false, which the schema refuses */
function addressKind(expected: string, normalised: (text: string) => string | false): Kind<TString> {
  return {
    ...readBy((text) => normalised(text.trim())),
    schema: Type.String(),
    expected,
    placeholder: 'url',
  };
}

const smtpKind = addressKind(
  'smtp://USER:PASSWORD@HOST:PORT or smtps://…, with special characters of user and password percent-encoded',
  (text) => {
    const address = text.replace(/\/$/, '');
    if (!/^smtps?:\/\/[^\s/?#]+$/.test(address) || !URL.canParse(address)) return false;
    const { hostname, username, password } = new URL(address);
    try {
      decodeURIComponent(username + password);
    } catch {
      return false;
    }
    return hostname !== '' && address;
  },
);

const postgresKind = addressKind(
  'postgres://USER:PASSWORD@HOST:PORT/DATABASE or postgresql://…',
  (text) => /^postgres(ql)?:\/\/[^\s#]+$/.test(text) && text,
);

const issuerKind = addressKind(
  'an https:// address without query, fragment or credentials (http:// for localhost, 127.0.0.1 and [::1] alone)',
  (text) => {
    if (!/^https?:\/\/[^\s?#@]+$/.test(text) || !URL.canParse(text)) return false;
    const { protocol, hostname } = new URL(text);
    return (protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) && text;
  },
);

/** The mail server with its credentials, or `off`. */
export function smtpUrlSetting(described: Described<OrOff<TString>>): Setting<OrOff<TString>> {
  return { ...orOff(smtpKind), ...described, isSecret: true };
}

/** A PostgreSQL database, or `off`. The connection reads the rest of the address. */
export function postgresUrlSetting(described: Described<OrOff<TString>>): Setting<OrOff<TString>> {
  return { ...orOff(postgresKind), ...described, isSecret: true };
}

/** An OpenID issuer, or `off`. Its slashes are kept. */
export function issuerSetting(described: Described<OrOff<TString>>): Setting<OrOff<TString>> {
  return { ...orOff(issuerKind), ...described };
}
