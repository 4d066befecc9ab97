import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { startControlServer } from '../../support/latency-probe.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { getRequest, patchRequest, postRequest } from '../wire-connection.ts';
import { selectorOf } from './attacks.ts';
import { signIn, signInRequest, type Tenant } from './tenants-installation.ts';

/** The requests of one client, one after another, with a pause before each. */
export interface QuietAsk {
  readonly name: string;
  readonly port: number;
  readonly address: string;
  readonly pauseMs: number;
  /** Whether the port is flagd's. Its requests are selectors. */
  readonly isFlagd?: true;
  /** Requests encoded for the wire; each must be answered 200. */
  readonly requests: readonly string[];
}

export interface QuietClientsData {
  readonly asks: readonly QuietAsk[];
}

export interface QuietReading {
  readonly name: string;
  /** Durations of the answers 200. */
  durationsMs: number[];
  /** Connections that were closed without an answer. */
  lost: number;
  /** Answers other than 200. */
  refused: string[];
}

/** An idle process also gets requests: its delay is the machine's own. */
export const controlName = 'control';
export const evaluationName = 'evaluation';
export const signInName = 'sign-in';
/** Keeps each kind, which has an address of its own, below the limit of requests a minute. */
const managementPauseMs = 150;

/** Each attempt costs a hash, for which attempts wait. */
const signInPauseMs = 500;

/** Clients of the quiet tenant, which send every kind of request now and then. */
export class QuietClients {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async start(
    t: Lifetime,
    { port, flagdPort }: { readonly port: number; readonly flagdPort: number },
    tenant: Tenant,
  ): Promise<QuietClients> {
    const control = await startControlServer(t);
    const asks = await asksOf(t, port, tenant);
    const flagd: QuietAsk = {
      name: 'flagd',
      port: flagdPort,
      isFlagd: true,
      address: '127.77.0.8',
      pauseMs: 50,
      requests: [selectorOf(tenant.projectId, tenant.secret)],
    };
    const workerData: QuietClientsData = {
      asks: [
        ...asks,
        flagd,
        { name: controlName, port: control, address: '127.0.0.1', pauseMs: 5, requests: ['?'] },
      ],
    };
    const worker = new Worker(new URL('./quiet-clients-worker.js', import.meta.url), { workerData });
    t.teardown(() => worker.terminate());
    await once(worker, 'online');
    return new QuietClients(worker);
  }

  forget(): void {
    this.#worker.postMessage('forget');
  }

  /** @returns the answers by kind since the last reading or `forget` */
  async read(): Promise<readonly QuietReading[]> {
    const message = once(this.#worker, 'message');
    this.#worker.postMessage('read');
    const [readings] = (await message) as [readonly QuietReading[]];
    return readings;
  }

  async stop(): Promise<void> {
    const ended = once(this.#worker, 'exit');
    this.#worker.postMessage('stop');
    await ended;
  }
}

async function asksOf(t: Lifetime, port: number, tenant: Tenant): Promise<QuietAsk[]> {
  const { projectId, flags, secret, email } = tenant;
  const consoleAddress = '127.77.0.9';
  const cookie = await signIn(t, port, email, consoleAddress);
  const flagPath = `/api/v1/flags/${flags[0]}`;
  const ofrep = `/projects/${projectId}/ofrep/v1/evaluate/flags`;
  const kinds: readonly (readonly [name: string, pauseMs: number, requests: readonly string[]])[] = [
    [evaluationName, 5, flags.map((id) => getRequest(`/v1/flags/${id}?targetingKey=someone`))],
    ['project evaluation', 20, [getRequest(`/v1/flags/project/${projectId}?targetingKey=someone`)]],
    ['list', managementPauseMs, [getRequest('/api/v1/flags', secret)]],
    ['list by name', managementPauseMs, [getRequest('/api/v1/flags?name=orders%205', secret)]],
    ['flag', managementPauseMs, [getRequest(flagPath, secret)]],
    ['OFREP', 50, [postRequest(`${ofrep}/${flags[0]}`, { context: { targetingKey: 'someone' } })]],
    ['sync', managementPauseMs, [getRequest(`/sync/v1/${projectId}`, secret)]],
    [signInName, signInPauseMs, [signInRequest(port, email)]],
    [
      'change',
      managementPauseMs,
      [10, 20, 30].map((percentage) => patchRequest(flagPath, secret, { trafficPercentage: percentage })),
    ],
    ['console', 50, [`GET /console/api/audit HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`]],
  ];
  return kinds.map(([name, pauseMs, requests], index) => ({
    name,
    port,
    // The member signs in at an address that has a live session.
    address: name === 'console' || name === signInName ? consoleAddress : `127.77.0.${index + 10}`,
    pauseMs,
    requests,
  }));
}
