import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { SyncFlag, SyncUsage } from '../../../src/domain/sync/configuration.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import { type Change, type Configuration, changeAtRandom } from './random-configuration.ts';

export interface SeenRequest {
  readonly at: number;
  readonly kind: 'stream' | 'snapshot' | 'usage';
  readonly lastEventId: string | null;
}

/** Answers a request in place of the server's own answer, or returns false. */
export type Fault = (
  request: IncomingMessage,
  response: ServerResponse,
  kind: SeenRequest['kind'],
) => boolean;

/**
 * A service that speaks the wire format of sync, and every fault that a test asks for. It keeps all changes, so that it
 * resumes any position of its history.
 */
export class WireServer {
  readonly configuration: Configuration;
  readonly requests: SeenRequest[] = [];
  readonly reports: SyncUsage[] = [];
  token = 'secret-token';
  history = 'h1';
  fault: Fault | null = null;
  /** Sent with each stream; null sends none but the first. */
  beatMs: number | null = 50;
  port = 0;
  #server: Server | null = null;
  readonly #sockets = new Set<Socket>();
  readonly #streams = new Set<ServerResponse>();
  #changes: Change[] = [];

  constructor(configuration: Configuration) {
    this.configuration = configuration;
  }

  get version(): string {
    return `${this.history}.${this.#changes.length + 1}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** Listens on its former port. */
  async start(t: Lifetime | null = null): Promise<this> {
    const server = createServer((request, response) => this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.keepAliveTimeout = 100;
    server.listen(this.port, '127.0.0.1', 4096);
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    t?.teardown(() => this.kill());
    return this;
  }

  /** Ends at once, as a process that is killed does. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    for (const socket of this.#sockets) reset(socket);
    this.#streams.clear();
    await new Promise((resolve) => server.close(resolve));
  }

  /** Makes random changes, and tells all streams of them. */
  change(random: Random, count = 1): void {
    for (let index = 0; index < count; index += 1)
      this.#changes.push(changeAtRandom(random, this.configuration));
    const sent = this.#changes.slice(-count);
    for (const stream of this.#streams)
      this.#send(stream, 'delta', { version: this.version, ...merged(sent) });
  }

  /** Changes one flag. */
  put(flag: SyncFlag): void {
    this.configuration.flags.set(flag.id, flag);
    this.#changes.push({ flags: [flag], removed: [], audiences: [], removedAudiences: [] });
    const change = { flags: [flag], removed: [], audiences: [], removedAudiences: [] };
    for (const stream of this.#streams) this.#send(stream, 'delta', { version: this.version, ...change });
  }

  /** As after a restore: another history, with smaller numbers. */
  restore(history: string, random: Random): void {
    this.history = history;
    this.#changes = [changeAtRandom(random, this.configuration)];
  }

  goodbye(retryAfterMs: number): void {
    for (const stream of this.#streams) {
      this.#send(stream, 'goodbye', { retryAfterMs });
      stream.end();
    }
  }

  /** Sends bytes to all streams. */
  sendRaw(text: string): void {
    for (const stream of this.#streams) stream.write(text);
  }

  cutStreams(): void {
    for (const stream of this.#streams) stream.socket?.destroy();
  }

  get snapshot(): object {
    const { flags, audiences } = this.configuration;
    return {
      version: this.version,
      projectId: 'Qm4ZtR9bNdk3VvX0aPq1',
      environment: 'production',
      flags: [...flags.values()],
      audiences: [...audiences.values()],
    };
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const kind = kindOf(request);
    const lastEventId = (request.headers['last-event-id'] as string | undefined) ?? null;
    this.requests.push({ at: performance.now(), kind, lastEventId });
    if (this.fault?.(request, response, kind)) return;
    if (request.headers.authorization !== `Bearer ${this.token}`) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    } else if (kind === 'usage') this.#takeReport(request, response);
    else if (kind === 'stream') this.openStream(response, lastEventId);
    else this.sendSnapshot(request, response);
  }

  #takeReport(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      this.reports.push(JSON.parse(body) as SyncUsage);
      response.writeHead(204).end();
    });
  }

  sendSnapshot(request: IncomingMessage, response: ServerResponse): void {
    const etag = `"${this.version}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/json', etag })
        .end(JSON.stringify(this.snapshot));
  }

  openStream(response: ServerResponse, lastEventId: string | null): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const [history, number] = lastEventId?.split('.') ?? [];
    const position = Number(number);
    const missed = this.#changes.slice(position - 1);
    if (history !== this.history || !(position >= 1 && position <= this.#changes.length + 1)) {
      this.#send(response, 'snapshot', this.snapshot);
    } else if (missed.length === 0) this.#send(response, 'beat', { version: this.version });
    else this.#send(response, 'delta', { version: this.version, ...merged(missed) });
    this.#streams.add(response);
    const { beatMs } = this;
    const timer =
      beatMs === null
        ? undefined
        : setInterval(() => this.#send(response, 'beat', { version: this.version }), beatMs);
    response.once('close', () => {
      clearInterval(timer);
      this.#streams.delete(response);
    });
  }

  #send(stream: ServerResponse, event: string, data: object): void {
    stream.write(eventText(event, this.version, data));
  }
}

export function eventText(event: string, id: string, data: object): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

function kindOf({ method, headers }: IncomingMessage): SeenRequest['kind'] {
  if (method === 'POST') return 'usage';
  return headers.accept === 'text/event-stream' ? 'stream' : 'snapshot';
}

/** The present state of what some changes changed. */
function merged(changes: readonly Change[]): Change {
  const flags = new Map<string, Change['flags'][number]>();
  const audiences = new Map<string, Change['audiences'][number]>();
  const removed = new Set<string>();
  const removedAudiences = new Set<string>();
  for (const change of changes) {
    for (const flag of change.flags) flags.set(flag.id, flag);
    for (const audience of change.audiences) {
      audiences.set(audience.id, audience);
      removedAudiences.delete(audience.id);
    }
    for (const id of change.removed) {
      flags.delete(id);
      removed.add(id);
    }
    for (const id of change.removedAudiences) {
      audiences.delete(id);
      removedAudiences.add(id);
    }
  }
  return {
    flags: [...flags.values()],
    audiences: [...audiences.values()],
    removed: [...removed],
    removedAudiences: [...removedAudiences],
  };
}

/** Resets a connection. One that is being ended cannot be: Node would keep its handle for ever, and so the process. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
