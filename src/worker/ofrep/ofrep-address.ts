import { decodeSegment } from '../../support/path-segment.ts';

/** The project that a request of OFREP is about. */
export interface OfrepPlace {
  /** The project's id, or its slug, which only `FlagSource.publicIdOf` resolves. */
  readonly project: string;
  /** Null when the address names none. */
  readonly environment: string | null;
}

/** What a request of OFREP asks for. `key` is that of one flag. */
export type OfrepTarget =
  | { readonly kind: 'flag'; readonly key: string }
  | { readonly kind: 'flags' | 'events' };

export interface OfrepAddress {
  /** Null at the root without `X-API-Key`; `malformed`: with one that names no project. */
  readonly place: OfrepPlace | null | 'malformed';
  readonly target: OfrepTarget;
}

const marker = '/ofrep/v1/';
const flagsPath = 'evaluate/flags';
const projectsPath = '/projects/';
const all: OfrepTarget = { kind: 'flags' };
const events: OfrepTarget = { kind: 'events' };

/** @returns whether answers to a path are given in the shape of OFREP */
export function isOfrepPath(path: string): boolean {
  return path.includes(marker);
}

/** The most addresses that are remembered, and the longest one: some hundreds of kilobytes. */
const addressesMax = 1024;
const rememberedCharactersMax = 256;
const remembered = new Map<string, OfrepAddress>();

/** Reads an address as `readOfrepAddress`, and remembers it: most clients request the same few flags all the time. */
export function knownOfrepAddress(path: string, apiKey: string): OfrepAddress | null {
  const known = remembered.get(path);
  if (known !== undefined) return known;
  const address = readOfrepAddress(path, apiKey);
  if (address === null || path.length > rememberedCharactersMax) return address;
  // At the root, the header decides.
  if (!path.startsWith(projectsPath)) return address;
  if (remembered.size >= addressesMax) remembered.clear();
  remembered.set(path, address);
  return address;
}

/**
 * Reads `/projects/{project}[/{environment}]/ofrep/v1/…`, or `/ofrep/v1/…` with the project in a header, for providers
 * that drop the path of their base URL. A base URL that ends in a slash gives `//ofrep`.
 * @param path as received
 * @param apiKey the value of `X-API-Key`, `{project}` or `{project}/{environment}`; read at the root only
 * @returns null when nothing of OFREP is at this address
 */
export function readOfrepAddress(path: string, apiKey: string): OfrepAddress | null {
  const at = path.indexOf(marker);
  if (at < 0) return null;
  const target = targetOf(path.slice(at + marker.length));
  if (target === null) return null;
  const base = path.endsWith('/', at) ? path.slice(0, at - 1) : path.slice(0, at);
  if (base === '') return { place: placeInKey(apiKey.trim()), target };
  const place = base.startsWith(projectsPath) ? placeOf(base.slice(projectsPath.length)) : null;
  return place === null ? null : { place, target };
}

/** @param rest the key of a flag is the whole of it, because some clients do not encode a slash in it */
function targetOf(rest: string): OfrepTarget | null {
  if (rest === 'events') return events;
  if (!rest.startsWith(flagsPath)) return null;
  if (rest.length <= flagsPath.length + 1) return rest === flagsPath || rest.endsWith('/') ? all : null;
  if (rest[flagsPath.length] !== '/') return null;
  return { kind: 'flag', key: decodeKey(rest.slice(flagsPath.length + 1)) };
}

/** Some clients do not escape a percent sign in the key. So a key that cannot be decoded is taken as it is. */
function decodeKey(key: string): string {
  if (!key.includes('%')) return key;
  try {
    return decodeURIComponent(key);
  } catch {
    return key.replace(/(?:%[0-9A-Fa-f]{2})+/g, decodeSegment);
  }
}

/** A key that cannot be read does not count as absent: its client would get answers of another environment. */
function placeInKey(key: string): OfrepAddress['place'] {
  return key === '' ? null : (placeOf(key) ?? 'malformed');
}

/** @param text `{project}` or `{project}/{environment}`, percent-encoded */
function placeOf(text: string): OfrepPlace | null {
  const slash = text.indexOf('/');
  if (slash < 0) return text === '' ? null : { project: decodeSegment(text), environment: null };
  const environment = text.slice(slash + 1);
  if (slash === 0 || environment.includes('/')) return null;
  return { project: decodeSegment(text.slice(0, slash)), environment: decodeSegment(environment) };
}
