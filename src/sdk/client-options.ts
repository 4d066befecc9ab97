import { fileURLToPath } from 'node:url';
import type { SyncSnapshot } from '../domain/sync/configuration.ts';
import type { ClientMode, ClientOptions } from './burgee-client.ts';
import { readSnapshot } from './configuration/sync-shapes.ts';

/** The source of the token for each request. @throws Error that says what is wrong with it, without the token */
export type TokenSource = () => string;

/** Options that were checked. */
export interface ClientSettings {
  readonly url: URL;
  readonly project: string;
  readonly environment: string | null;
  readonly token: TokenSource;
  readonly mode: ClientMode;
  /** A path, or the content. */
  readonly bootstrap: string | URL | SyncSnapshot | null;
  readonly cacheFile: string | null;
  readonly startTimeoutMs: number;
}

const modes: readonly ClientMode[] = ['stream', 'poll', 'once'];
const known = ['url', 'project', 'environment', 'token', 'mode', 'bootstrap', 'cacheFile', 'startTimeoutMs'];
const startTimeoutDefaultMs = 3000;
const startTimeoutMaxMs = 5 * 60 * 1000;

function refuse(text: string): never {
  throw new TypeError(`burgee-client: ${text}`);
}

/** @throws TypeError that says what to do */
export function checkOptions(options: ClientOptions): ClientSettings {
  if (typeof options !== 'object' || options === null) {
    refuse('connect takes an object: connect({ url, project, environment, token })');
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) refuse(`there is no option ${name}. The options are: ${known.join(', ')}.`);
  }
  const {
    project,
    token,
    environment = null,
    mode = 'stream',
    startTimeoutMs = startTimeoutDefaultMs,
  } = options;
  if (!isFilled(project)) {
    refuse('project must be the id or the slug of a project; its settings in the console show both.');
  }
  if (environment !== null && !isFilled(environment)) {
    refuse(
      'environment must be the name of an environment. Leave it out for a project without environments.',
    );
  }
  if (typeof token !== 'function') checkToken(token);
  if (!modes.includes(mode)) refuse(`mode must be one of ${modes.join(', ')}, not ${JSON.stringify(mode)}.`);
  if (!(startTimeoutMs >= 0 && startTimeoutMs <= startTimeoutMaxMs)) {
    refuse(`startTimeoutMs must be a number of milliseconds from 0 to ${startTimeoutMaxMs}.`);
  }
  return {
    url: readUrl(options.url),
    project,
    environment,
    token: typeof token === 'function' ? () => checkToken(token()) : () => token,
    mode,
    bootstrap: readBootstrap(options.bootstrap),
    cacheFile: readCacheFile(options.cacheFile),
    startTimeoutMs,
  };
}

/** The token itself is never part of a message. */
function checkToken(token: unknown): string {
  if (token instanceof Promise) {
    // Its failure is this one, and must not end the process.
    token.catch(() => undefined);
    refuse('token must be a text, or a function that gives one at once: readFileSync, for example.');
  }
  if (!isFilled(token)) {
    refuse('token must be the secret of an active token of the project. Is its environment variable set?');
  }
  // A header can hold no others.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    refuse('token must have no spaces, line breaks or other characters than ASCII.');
  }
  return token;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function readUrl(value: string | URL): URL {
  const example = 'such as https://flags.example.com';
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    return refuse(`url must be the address of Burgee, ${example}, not ${JSON.stringify(value)}.`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    refuse(`url must begin with http:// or https://, ${example}.`);
  }
  if (url.username !== '' || url.password !== '')
    refuse('url must not hold a password: give the token as token.');
  if (url.search !== '' || url.hash !== '') refuse('url must have no ? and no #.');
  return url;
}

function readBootstrap(value: ClientOptions['bootstrap']): ClientSettings['bootstrap'] {
  if (value === undefined) return null;
  if (value instanceof URL || isFilled(value)) return value;
  if (typeof value !== 'object') refuse('bootstrap must be the path of a file, or its parsed content.');
  try {
    return readSnapshot(value);
  } catch (fault) {
    return refuse(`bootstrap is not a configuration as /sync/v1 gives it: ${(fault as Error).message}.`);
  }
}

function readCacheFile(value: ClientOptions['cacheFile']): string | null {
  if (value === undefined) return null;
  if (isFilled(value)) return value;
  if (value instanceof URL && value.protocol === 'file:') return fileURLToPath(value);
  return refuse('cacheFile must be the path of a file that the process may write.');
}
