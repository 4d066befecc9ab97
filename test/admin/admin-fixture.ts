import { type BootedServer, type BootOptions, bootServer } from '../support/booted-server.ts';
import { type ClientResponse, createHttpClient } from '../support/http-client.ts';
import type { Lifetime } from '../support/lifetime.ts';

/** A page of metrics, as Prometheus reads it. */
export interface Scrape {
  readonly text: string;
  /** The type by metric name: counter, gauge or histogram. */
  readonly types: ReadonlyMap<string, string>;
  /** The value by series: `name{label="value"}`. */
  readonly samples: ReadonlyMap<string, number>;
  /** @returns the value of one series. @throws when it is not on the page */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
  /** @returns the sum of all series with these labels */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
}

export interface AdminClient {
  get(path: string): Promise<ClientResponse>;
  send(method: string, path: string): Promise<ClientResponse>;
  scrape(): Promise<Scrape>;
}

const sampleLine = /^([a-z_]+(?:\{.*\})?) (\S+)$/;

/** @throws when a line does not fit the format. */
export function parseScrape(text: string): Scrape {
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== '') types.set(name, type);
    if (line.startsWith('#')) continue;
    const [, series = '', value = ''] = sampleLine.exec(line) ?? [];
    if (series === '' || Number.isNaN(Number(value))) throw new Error(`not a line of metrics: ${line}`);
    if (samples.has(series)) throw new Error(`this series is on the page twice: ${series}`);
    samples.set(series, Number(value));
  }
  const matching = (name: string, labels: Readonly<Record<string, string>>): number[] =>
    [...samples].flatMap(([series, value]) => {
      const hasName = series === name || series.startsWith(`${name}{`);
      const hasLabels = Object.entries(labels).every(([label, is]) => series.includes(`${label}="${is}"`));
      return hasName && hasLabels ? [value] : [];
    });
  return {
    text,
    types,
    samples,
    value: (name, labels = {}) => {
      const [value, ...more] = matching(name, labels);
      if (value === undefined || more.length > 0) {
        throw new Error(`${more.length + 1} series of ${name} ${JSON.stringify(labels)}`);
      }
      return value;
    },
    sum: (name, labels = {}) => matching(name, labels).reduce((sum, value) => sum + value, 0),
  };
}

/** @returns the admin listener's port from its log line; null for every other line */
function adminPortOf(line: string): number | null {
  return Number(/"adminPort":(\d+)/.exec(line)?.[1] ?? 0) || null;
}

export async function adminClientOf(t: Lifetime, server: Pick<BootedServer, 'line'>): Promise<AdminClient> {
  const line = await server.line((each) => adminPortOf(each) !== null);
  const client = createHttpClient(t, { port: adminPortOf(line) ?? 0, connectionsMax: 4 });
  const send = (method: string, path: string): Promise<ClientResponse> => client.send({ method, path });
  return {
    send,
    get: (path) => send('GET', path),
    scrape: async () => parseScrape((await send('GET', '/metrics')).text),
  };
}

/** A server with an admin listener on a free port. */
export async function bootWithAdmin(
  t: Lifetime,
  options: BootOptions,
): Promise<{ readonly server: BootedServer; readonly admin: AdminClient }> {
  const settings = { BURGEE_ADMIN_PORT: '0', ...options.settings };
  const server = await bootServer(t, { ...options, settings });
  return { server, admin: await adminClientOf(t, server) };
}
