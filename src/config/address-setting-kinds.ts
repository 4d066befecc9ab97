import { type TNull, type TString, type TUnion, Type } from 'typebox';
import type { Setting } from './setting.ts';
import { type Described, plain } from './setting-kinds.ts';

/** An `http:` or `https:` address; a slash at its end is dropped, so that paths can be appended. */
export function urlSetting(described: Described<TString>): Setting<TString> {
  const withoutSlash = (value: unknown): unknown =>
    typeof value === 'string' ? value.trim().replace(/\/+$/, '') : value;
  return {
    ...plain,
    ...described,
    schema: Type.String({ pattern: '^https?://[^\\s/?#]+[^\\s?#]*$' }),
    expected: 'an http:// or https:// address without query or fragment',
    placeholder: 'url',
    fromText: withoutSlash,
    fromJson: withoutSlash,
  };
}

interface AddressForm {
  readonly pattern: string;
  readonly expected: string;
  isAddress(text: string): boolean;
}

/** An address, or `off` (in the file also null). @param normalised the form in which the address is checked and kept */
function addressOrOff(
  { pattern, expected, isAddress }: AddressForm,
  described: Described<TUnion<[TString, TNull]>>,
  normalised: (text: string) => string = (text) => text.trim(),
): Setting<TUnion<[TString, TNull]>> {
  const read = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    const text = normalised(value);
    if (text === 'off') return null;
    return isAddress(text) ? text : false;
  };
  return {
    ...plain,
    ...described,
    schema: Type.Union([Type.String({ pattern }), Type.Null()]),
    expected,
    placeholder: 'url',
    fromText: read,
    fromJson: read,
    toText: (value) => (value === null ? 'off' : String(value)),
  };
}

/** The mail server: `smtp://` or `smtps://` with host, port and credentials, or `off` (in the file also null). */
export function smtpUrlSetting(
  described: Described<TUnion<[TString, TNull]>>,
): Setting<TUnion<[TString, TNull]>> {
  const form = {
    pattern: '^smtps?://',
    expected:
      'smtp://USER:PASSWORD@HOST:PORT or smtps://…, with special characters of user and password percent-encoded, or off',
    isAddress: isSmtpUrl,
  };
  return { ...addressOrOff(form, described, (text) => text.trim().replace(/\/$/, '')), isSecret: true };
}

function isSmtpUrl(text: string): boolean {
  if (!/^smtps?:\/\/[^\s/?#]+$/.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    return hostname !== '' && decodeURIComponent(username + password) !== null;
  } catch {
    return false;
  }
}

/** A PostgreSQL database, or `off` (in the file also null). Who connects reads the rest of it. */
export function postgresUrlSetting(
  described: Described<TUnion<[TString, TNull]>>,
): Setting<TUnion<[TString, TNull]>> {
  const form = {
    pattern: '^postgres(ql)?://',
    expected: 'postgres://USER:PASSWORD@HOST:PORT/DATABASE or postgresql://…, or off',
    isAddress: (text: string) => /^postgres(ql)?:\/\/[^\s#]+$/.test(text),
  };
  return { ...addressOrOff(form, described), isSecret: true };
}

/** An OpenID issuer: `https://`, on this machine also `http://`, or `off` (in the file also null). Its slashes are kept. */
export function issuerSetting(
  described: Described<TUnion<[TString, TNull]>>,
): Setting<TUnion<[TString, TNull]>> {
  const form = {
    pattern: '^https?://',
    expected:
      'an https:// address without query, fragment or credentials (http:// for localhost, 127.0.0.1 and [::1] alone), or off',
    isAddress: isIssuer,
  };
  return addressOrOff(form, described);
}

function isIssuer(text: string): boolean {
  if (!/^https?:\/\/[^\s?#@]+$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
