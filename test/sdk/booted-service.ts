import { once } from 'node:events';
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { BurgeeClient, ClientOptions } from '../../src/sdk/burgee-client.ts';
import { checkOptions } from '../../src/sdk/client-options.ts';
import { SyncedClient } from '../../src/sdk/synced-client.ts';
import { defaultTimings, type Timings } from '../../src/sdk/timings.ts';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import type { Settings } from '../support/burgee-command.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { type ProvisionedProject, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import type { Random } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const plans = ['pro', 'free', 'grün', '🙂', 'a+b&c=d', ''];
/** As contexts have them; rules have their texts. */
const typed = [42, 4.5, -0.25, 0, 1e21, true, false];
const cohorts = ['staff', 'beta', 'früh+spät', 'a b'];

function some<Item>(random: Random, items: readonly Item[]): Item[] {
  return random.shuffle(items).slice(0, random.integer(1, items.length));
}

/** A project with flags and audiences at random. */
export function randomDocument(random: Random, count: number): object {
  const audiences = Array.from({ length: 8 }, (_unused, index) => ({
    name: `audience ${index}`,
    rules: some(random, ['plan', 'land', 'größe']).map((attribute) => ({
      attribute,
      values: some(random, [...plans.filter((plan) => plan !== ''), ...typed.map(String)]),
    })),
  }));
  const flags = Array.from({ length: count }, (_unused, index) => {
    const state = {
      enabled: random.chance(0.9),
      trafficPercentage: random.pick([0, 100, 50, 1, random.integer(2, 99)]),
      ...(random.chance(0.5) ? { audience: `audience ${random.integer(0, 7)}` } : {}),
    };
    return {
      name: `flag ${index}`,
      ...(random.chance(0.5) ? { cohorts: some(random, cohorts) } : {}),
      environments: { production: state, staging: { enabled: true } },
    };
  });
  const tokens = [
    { name: 'write', permission: 'write' },
    { name: 'read', permission: 'read', environments: ['production'] },
  ];
  const project = { name: 'shop', environments: ['production', 'staging'], audiences, flags, tokens };
  return { organisations: [{ name: 'Harbour', plan: 'enterprise', projects: [project] }] };
}

/** A Burgee behind an address that stays the same, whichever process serves there. */
export class BootedService {
  readonly project: ProvisionedProject;
  readonly #test: Test;
  readonly #sockets = new Set<Socket>();
  /** When each connection to the address was made, whether or not a process served there, by `performance.now()`. */
  readonly connectedAt: number[] = [];
  server: BootedServer;
  port = 0;

  constructor(test: Test, server: BootedServer, project: ProvisionedProject) {
    this.#test = test;
    this.server = server;
    this.project = project;
  }

  static async boot(t: Test, document: object, settings: Settings = {}): Promise<BootedService> {
    const dataDir = temporaryDirectory(t);
    const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'shop');
    const service = new BootedService(
      t,
      await bootServer(t, { dataDir, settings: { ...unlimited, ...settings } }),
      project,
    );
    await service.#listen();
    return service;
  }

  async #listen(): Promise<void> {
    const proxy = createServer((near) => {
      this.connectedAt.push(performance.now());
      const far = connectSocket(this.server.port, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.pipe(other);
        socket.on('error', () => other.destroy());
        socket.once('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    this.port = (proxy.address() as AddressInfo).port;
    this.#test.teardown(() => {
      for (const socket of this.#sockets) socket.destroy();
      proxy.close();
    });
  }

  /** Starts a server in the place of the one that ended. */
  async restart(dataDir = this.server.dataDir): Promise<void> {
    this.server = await bootServer(this.#test, { dataDir, settings: unlimited });
  }

  async kill(): Promise<void> {
    this.server.signal('SIGKILL');
    await this.server.ended;
  }

  secret(name: string): string {
    return tokenOf(this.project, name).secret;
  }

  get flagIds(): readonly string[] {
    return Object.values(this.project.flags);
  }

  /** What a client of the project's `production` is given. */
  get options(): ClientOptions {
    const url = `http://127.0.0.1:${this.port}`;
    return { url, project: this.project.id, environment: 'production', token: this.secret('read') };
  }

  async startClient(
    t: Lifetime,
    options: Partial<ClientOptions> = {},
    timings: Partial<Timings> = {},
  ): Promise<SyncedClient> {
    const settings = checkOptions({ ...this.options, ...options });
    const client = new SyncedClient(settings, { ...defaultTimings, ...timings });
    t.teardown(() => client.close());
    await client.start();
    return client;
  }

  async patch(flag: string, body: object): Promise<void> {
    const path = `/api/v1/flags/${flag}?env=production`;
    const headers = { ...bearer(this.secret('write')), 'Content-Type': 'application/json' };
    const client = createHttpClient(this.#test, { port: this.server.port });
    const { status, text } = await client.send({
      method: 'PATCH',
      path,
      headers,
      body: JSON.stringify(body),
    });
    if (status !== 200) throw new Error(text);
  }

  get openConnections(): number {
    return this.#sockets.size / 2;
  }

  randomQuestions(random: Random, count: number): readonly Question[] {
    return Array.from({ length: count }, () => [random.pick(this.flagIds), randomContext(random)]);
  }

  /** @returns a 1 for each question that the Evaluation API answers with true, and a 0 for the others */
  async answersTo(questions: readonly Question[]): Promise<string> {
    const http = createHttpClient(this.#test, { port: this.server.port, connectionsMax: 8 });
    const ask = async ([flag, context]: Question): Promise<number> => {
      const { status, text } = await http.send({ path: `/v1/flags/${flag}?${queryOf(context)}` });
      if (status !== 200) throw new Error(text);
      return Number((JSON.parse(text) as { readonly enabled: boolean }).enabled);
    };
    return (await Promise.all(questions.map(ask))).join('');
  }

  /**
   * Asks the Evaluation API and a client the same random questions.
   * @returns how many answers differ
   */
  async countDifferences(client: Pick<BurgeeClient, 'isOn'>, random: Random, count: number): Promise<number> {
    const http = createHttpClient(this.#test, { port: this.server.port, connectionsMax: 8 });
    let different = 0;
    const ask = async (): Promise<void> => {
      const flag = random.pick(this.flagIds);
      const context = randomContext(random);
      const { status, text } = await http.send({ path: `/v1/flags/${flag}?${queryOf(context)}` });
      if (status !== 200) throw new Error(text);
      const { enabled } = JSON.parse(text) as { readonly enabled: boolean };
      if (client.isOn(flag, context, !enabled) !== enabled) different += 1;
    };
    for (let done = 0; done < count; done += 8) await Promise.all(Array.from({ length: 8 }, ask));
    return different;
  }
}

type Scalar = string | number | boolean;
interface Context {
  targetingKey?: string;
  cohort?: string;
  /** Null: absent. */
  [attribute: string]: Scalar | readonly Scalar[] | null;
}
type Question = readonly [flag: string, context: Context];

export function randomContext(random: Random): Context {
  const context: Context = {};
  // One of the two, so that no percentage is a roll.
  const hasKey = random.chance(0.7);
  if (hasKey) context['targetingKey'] = random.pick([`user-${random.integer(0, 1e6)}`, 'schlüssel', '🙂 %']);
  if (!hasKey || random.chance(0.4)) context['cohort'] = random.pick(cohorts);
  for (const attribute of ['plan', 'land', 'größe', 'unused']) {
    if (random.chance(0.6)) context[attribute] = randomAttribute(random);
  }
  return context;
}

function randomAttribute(random: Random): Scalar | readonly Scalar[] | null {
  if (random.chance(0.1)) return null;
  if (random.chance(0.2)) return some(random, [...plans, ...typed]);
  return random.pick<Scalar>(random.chance(0.5) ? plans : typed);
}

function queryOf(context: Context): string {
  const pairs = Object.entries(context).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === null ? [] : [value]).map((one) => [name, String(one)] as const),
  );
  return [...pairs, ['env', 'production'] as const]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
}

/** A directory below a new one, which does not exist yet. */
export function newDirectory(t: Test, name: string): string {
  return join(temporaryDirectory(t), name);
}
