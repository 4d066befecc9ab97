import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { clusterSettings } from './cluster-settings.ts';
import { coresOf, cpuQuota, defaultWorkers, workersMax } from './cores.ts';
import { flagdSettings } from './flagd-settings.ts';
import type { DefaultBasis, Setting } from './setting.ts';
import {
  baseUrlSetting,
  bytesSetting,
  choiceSetting,
  integerSetting,
  issuerSetting,
  listSetting,
  networksSetting,
  optionalPortSetting,
  optionalTextSetting,
  pathSetting,
  smtpUrlSetting,
  textSetting,
  urlSetting,
} from './setting-kinds.ts';

/** Sign-ins to the console by a provider of OpenID Connect: none of them has an effect without the first. */
const openIdSettings = {
  openIdIssuer: issuerSetting({
    fallback: { value: null },
    description:
      'Issuer of the OpenID provider with which people sign in to the console, exactly as the provider writes it. Needs `open-id-client-id` and `base-url`.',
  }),
  openIdClientId: optionalTextSetting(
    {
      pattern: '^[\\x21-\\x7e]{1,256}$',
      expected: '1 to 256 visible ASCII characters',
      placeholder: 'id',
    },
    {
      isSecret: false,
      fallback: { value: null },
      description: 'Client id that the OpenID provider gave this service.',
    },
  ),
  openIdClientSecret: optionalTextSetting(
    {
      pattern: '^[\\x21-\\x7e]{1,1024}$',
      expected: '1 to 1024 visible ASCII characters',
      placeholder: 'secret',
    },
    {
      isSecret: true,
      fallback: { value: null },
      description:
        'Client secret that the OpenID provider gave this service; a public client has none. Give it as a variable or in the file: every user of the machine can see command-line options.',
    },
  ),
  openIdName: textSetting(
    {
      pattern: '^[^\\u0000-\\u001f\\u007f]{1,60}$',
      expected: '1 to 60 characters',
      placeholder: 'text',
    },
    {
      fallback: { value: 'single sign-on' },
      description: 'Name of the OpenID provider for people: the button says "Sign in with …".',
    },
  ),
} satisfies Record<string, Setting>;

/** Addresses that listen on every interface, each with one at which this machine reaches it. */
const everywhere: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

const KiB = 2 ** 10;
const MiB = 2 ** 20;
const GiB = 2 ** 30;
const TiB = 2 ** 40;

/**
 * Every setting of Burgee, once. Types (`Config`), `BURGEE_*` names, command-line flags, help texts, defaults, checks
 * and `docs/configuration.md` derive from this object. A derived default may use the settings above it.
 */
export const settings = {
  host: textSetting(
    { pattern: '^[0-9A-Za-z.:_-]+$', expected: 'a host name or IP address', placeholder: 'host' },
    {
      fallback: { value: '127.0.0.1' },
      description:
        'Address to listen on. `0.0.0.0` or `::` listens on every interface; put a proxy in front on the open internet.',
    },
  ),
  port: integerSetting(
    { minimum: 0, maximum: 65_535 },
    { fallback: { value: 8080 }, description: 'Port to listen on. 0 takes any free port.' },
  ),
  dataDir: pathSetting({
    fallback: { text: '`./data`', derive: () => resolve('data') },
    description: 'Directory with everything that Burgee stores. It is created when it does not exist.',
  }),
  baseUrl: baseUrlSetting({
    fallback: { text: '`http://<host>:<port>`', derive: localUrl },
    description:
      'Address at which people and clients reach this service. Links in mails, sign-in links and the documentation use it. It may have a path, which the proxy in front must strip.',
  }),
  docsUrl: urlSetting({
    fallback: {
      text: '`<base-url>/docs`',
      derive: (basis) => `${hasUnknownAddress(basis) ? '' : basis.baseUrl}/docs`,
    },
    description:
      'Documentation page that the `docs` links of errors lead to. Burgee serves its own at `/docs`. If it listens on every address and `base-url` is not set, the links are `/docs#…`, without a host.',
  }),
  tokenPrefix: textSetting(
    {
      pattern: '^[0-9A-Za-z]([0-9A-Za-z_-]{0,30}[0-9A-Za-z])?$',
      expected: '1 to 32 letters, digits, hyphens or underscores, with a letter or digit at both ends',
      placeholder: 'text',
    },
    {
      fallback: { value: 'burgee' },
      description: 'Prefix of the secrets of new tokens: `<prefix>_<secret>`.',
    },
  ),
  tokenPrefixesAccepted: listSetting(
    {
      pattern: '^[0-9A-Za-z]([0-9A-Za-z_-]{0,30}[0-9A-Za-z])?$',
      expected: 'token prefixes, separated by commas',
      placeholder: 'prefixes',
    },
    {
      fallback: { value: [] },
      description: 'Earlier token prefixes whose tokens still work, in addition to `token-prefix`.',
    },
  ),
  workers: integerSetting(
    { minimum: 1, maximum: workersMax },
    {
      fallback: {
        text: 'cores, or the CPU quota of the container if that is less; rounded down, at least 1',
        derive: () => defaultWorkers(coresOf(availableParallelism(), cpuQuota())),
      },
      description: 'Threads that hold the connections and answer their requests.',
    },
  ),
  commitGroupSize: integerSetting(
    { minimum: 1, maximum: 256 },
    {
      fallback: { value: 256 },
      description:
        'Most changes in one group commit. With 1, each change has a commit of its own, which is slower and no safer.',
    },
  ),
  inFlightMax: integerSetting(
    { minimum: 1, maximum: 1_000_000 },
    {
      fallback: { value: 4096 },
      description:
        'Most requests of the Management API that wait at once, and as many again of the console. One more gets 503 with `Retry-After`. Evaluations do not count.',
    },
  ),
  requestDeadlineMs: integerSetting(
    { minimum: 10, maximum: 600_000 },
    {
      fallback: { value: 5000 },
      description:
        'Milliseconds within which a change or a long answer must begin, or the request gets 503. A body that stops arriving for as long, or arrives too slowly, gets 408.',
    },
  ),
  cacheBytes: bytesSetting(
    { minimum: 64 * KiB, maximum: TiB },
    {
      fallback: { text: '`256MiB` for each worker', derive: ({ workers }) => workers * 256 * MiB },
      description:
        'Memory for compiled flags of the whole process, divided equally between the workers. The least recently used flags are dropped first.',
    },
  ),
  mapBytes: bytesSetting(
    { minimum: MiB, maximum: 64 * TiB },
    {
      fallback: { value: 64 * GiB },
      description:
        'Largest size of the store. It reserves address space, not disk: the file grows with what is stored.',
    },
  ),
  startCheckBytes: bytesSetting(
    { minimum: 0, maximum: 64 * TiB },
    {
      fallback: { value: 32 * MiB },
      description:
        'Bytes of the store that are read and verified before the service starts. In a larger store only the pages that lead to records are verified; run `burgee check` on it.',
    },
  ),
  bufferedBodyBytesMax: bytesSetting(
    { minimum: MiB, maximum: TiB },
    {
      fallback: { value: 64 * MiB },
      description:
        'Memory for all request bodies that are still arriving. When it is used up, requests get 503.',
    },
  ),
  managementRateLimit: integerSetting(
    { minimum: 1, maximum: 1_000_000_000 },
    {
      fallback: { value: 600 },
      description: 'Requests of the Management API per minute and address. More get 429.',
    },
  ),
  failedAuthenticationLimit: integerSetting(
    { minimum: 1, maximum: 1_000_000_000 },
    {
      fallback: { value: 20 },
      description:
        "Failed authentications per minute and address, counted apart for the Management API, sync and flagd's port. After them, every request of the Management API from the address gets 429, and of the others those that fail.",
    },
  ),
  evaluationRateLimit: integerSetting(
    { minimum: 0, maximum: 1_000_000_000 },
    {
      fallback: { value: 0 },
      description: 'Requests of the Evaluation API per minute and address. 0 switches the limit off.',
    },
  ),
  consoleRateLimit: integerSetting(
    { minimum: 1, maximum: 1_000_000_000 },
    {
      fallback: { value: 6000 },
      description: 'Requests of the console per minute and address. More get 429.',
    },
  ),
  syncStreamsMax: integerSetting(
    { minimum: 0, maximum: 1_000_000 },
    {
      fallback: { value: 10_000 },
      description:
        'Most event streams of sync and of OFREP open at once, and as many again of flagd’s providers. One more gets 503 with `Retry-After`. Half of them are for tokens, half for browsers; one token or one address gets at most a quarter of its half on one worker. Each needs a connection.',
    },
  ),
  trustedProxies: networksSetting({
    fallback: { value: [] },
    description:
      'Proxies whose `X-Forwarded-For` header is trusted. All clients behind a proxy that is not listed share one limit.',
  }),
  smtpUrl: smtpUrlSetting({
    fallback: { value: null },
    description:
      'Mail server for denial emails. `smtp://` uses STARTTLS if the server offers it, and requires it if there is a password; `smtps://` uses TLS from the start. Without a mail server, emails wait in the outbox.',
  }),
  mailFrom: textSetting(
    {
      pattern:
        '^([^<>"\\u0000-\\u001f\\u007f]{1,100} <[^\\s<>()\\\\,;:"@]{1,64}@[^\\s<>()\\\\,;"@]{1,255}>|[^\\s<>()\\\\,;:"@]{1,64}@[^\\s<>()\\\\,;"@]{1,255})$',
      expected: 'an email address, alone or in angle brackets after a name',
      placeholder: 'address',
    },
    {
      fallback: { text: '`burgee@<host of base-url>`', derive: ({ baseUrl }) => mailFromOf(baseUrl) },
      description: 'Sender of denial emails.',
    },
  ),
  ...openIdSettings,
  adminPort: optionalPortSetting({
    fallback: { value: null },
    description:
      'Port of the private admin listener with `/ready` and `/metrics`. It asks for no credentials. 0 takes any free port.',
  }),
  adminHost: textSetting(
    { pattern: '^[0-9A-Za-z.:_-]+$', expected: 'a host name or IP address', placeholder: 'host' },
    {
      fallback: { value: '127.0.0.1' },
      description:
        'Address that the admin listener listens on. Keep it private: the listener asks for no credentials.',
    },
  ),
  logLevel: choiceSetting(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    fallback: { value: 'info' },
    description: 'Lowest level of log lines that are written.',
  }),
  drainTimeoutMs: integerSetting(
    { minimum: 0, maximum: 600_000 },
    {
      fallback: { value: 10_000 },
      description: 'Milliseconds after SIGTERM that requests in flight have before the process ends.',
    },
  ),
  auditRetentionDays: integerSetting(
    { minimum: 0, maximum: 36_500 },
    {
      fallback: { value: 0 },
      description:
        'Days after which audit entries are dropped, a few with each change. 0 keeps them for ever.',
    },
  ),
  writtenBytesPerDayMax: bytesSetting(
    // A list of 1 MiB that gains or loses an item each minute writes 1.4 GiB a day.
    { minimum: 0, maximum: TiB },
    {
      fallback: { value: 2 * GiB },
      description:
        'Bytes of records and audit entries that tokens may write to an organisation on a UTC day. Further changes get 429. Members may write an eighth more. 0 means no quota.',
    },
  ),
  storageReserveBytes: bytesSetting(
    // A commit needs less than the minimum: lmdb must not meet a full disk (docs/contributing/gotchas.md).
    { minimum: 16 * MiB, maximum: TiB },
    {
      fallback: { value: 64 * MiB },
      description: 'Free disk space below which writes get 503. Reads go on.',
    },
  ),
  ...flagdSettings,
  ...clusterSettings,
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** In the order of declaration. */
export const settingNames = Object.keys(settings) as SettingName[];

/**
 * A mail address has brackets around a numeric host. A malformed `baseUrl` gives localhost here; its own check reports
 * it.
 */
function mailFromOf(baseUrl: string): string {
  const hostname = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : 'localhost';
  const isV4 = /^[\d.]+$/.test(hostname);
  return `burgee@${isV4 ? `[${hostname}]` : hostname.replace('[', '[IPv6:')}`;
}

type Address = Pick<DefaultBasis, 'host' | 'port' | 'baseUrl'>;

/** @returns the address at which this machine reaches the service. The public address may be another one */
export function localUrl({ host, port }: Pick<Address, 'host' | 'port'>): string {
  const name = everywhere.get(host) ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Whether the base URL is the default: only the address on which the service listens is known. */
export function isDefaultBaseUrl({ host, port, baseUrl }: Address): boolean {
  return baseUrl === localUrl({ host, port });
}

/** Whether no address is known at which other machines reach the service. */
export function hasUnknownAddress(address: Address): boolean {
  return everywhere.has(address.host) && isDefaultBaseUrl(address);
}
