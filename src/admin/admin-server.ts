import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describeRefusedListen, ListenError } from '../http/listen-error.ts';
import type { PrometheusText } from './prometheus-text.ts';

/** Whether a load balancer should send traffic. `/health` says only that the service can evaluate. */
export interface Readiness {
  readonly phase: 'starting' | 'serving' | 'draining';
  /** The parts of the service that do not serve. */
  readonly failing: readonly string[];
}

export function isReady({ phase, failing }: Readiness): boolean {
  return phase === 'serving' && failing.length === 0;
}

/** @returns for example `{"status":"unavailable","failing":["workers"]}` */
function renderReadiness(readiness: Readiness): string {
  if (isReady(readiness)) return JSON.stringify({ status: 'ready' });
  const { phase, failing } = readiness;
  return JSON.stringify({ status: phase === 'serving' ? 'unavailable' : phase, failing });
}

interface AdminServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readiness(): Readiness;
  readonly metrics: PrometheusText;
  onFault(fault: unknown): void;
}

/** A prober, a scraper and a person with curl need a few connections; the server refuses more. */
const connectionsMax = 64;
const requestTimeoutMs = 5000;
const idleTimeoutMs = 30_000;
const headerBytesMax = 8192;

interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** Headers in addition to those of every page. */
  readonly headers?: Readonly<Record<string, string>>;
}

const json = 'application/json';
/** A start or a drain is soon over. */
const notReadyHeaders = { 'Retry-After': '1' };

/**
 * The private listener for operators: `GET /ready` and `GET /metrics`, nothing else. It has no credentials. So it
 * listens on the loopback address unless it is configured otherwise, and never on the public port.
 */
export class AdminServer {
  readonly #options: AdminServerOptions;
  readonly #server: Server;
  /** Connections with a request in flight. */
  readonly #asked = new WeakSet<Socket>();

  constructor(options: AdminServerOptions) {
    this.#options = options;
    this.#server = createServer(
      {
        maxHeaderSize: headerBytesMax,
        headersTimeout: requestTimeoutMs,
        requestTimeout: requestTimeoutMs,
        keepAliveTimeout: idleTimeoutMs,
        connectionsCheckingInterval: requestTimeoutMs,
      },
      (request, response) => {
        if (!this.#isFirst(request.socket, response)) return;
        this.#answer(request, response).catch((fault: unknown) => {
          options.onFault(fault);
          response.destroy();
        });
      },
    );
    this.#server.maxConnections = connectionsMax;
    // Closes the connection of a client that does not read its answer.
    this.#server.setTimeout(idleTimeoutMs);
  }

  /** @returns the port that was taken. @throws ListenError when the port cannot be taken */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    this.#server.listen({ host, port, exclusive: true });
    await once(this.#server, 'listening').catch((fault: unknown) => {
      throw new ListenError(describeRefusedListen(host, port, 'admin'), { cause: fault });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /**
   * Allows one request at a time on a connection. Node.js reads 64 KiB of pipelined requests before it checks
   * whether the client reads the answers, and each answer is a page of metrics of the same size.
   */
  #isFirst(socket: Socket, response: ServerResponse): boolean {
    if (this.#asked.has(socket)) {
      socket.destroy();
      return false;
    }
    this.#asked.add(socket);
    response.once('close', () => this.#asked.delete(socket));
    return true;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, type, body, headers } = await this.#find(request);
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      ...headers,
      // The body of a refused request is not read: left in the socket, it would be parsed as the next request.
      ...(isRead(request.method) ? {} : { Connection: 'close' }),
    });
    response.end(body);
  }

  async #find({ method, url = '' }: IncomingMessage): Promise<Page> {
    const [path] = url.split('?');
    if (path !== '/ready' && path !== '/metrics') return textPage(404, 'Not found: try /ready or /metrics.');
    if (!isRead(method))
      return {
        ...textPage(405, `Only GET and HEAD are allowed on ${path}.`),
        headers: { Allow: 'GET, HEAD' },
      };
    if (path === '/metrics') {
      const { metrics } = this.#options;
      return { status: 200, type: metrics.contentType, body: await metrics.render() };
    }
    const readiness = this.#options.readiness();
    const body = renderReadiness(readiness);
    if (isReady(readiness)) return { status: 200, type: json, body };
    return { status: 503, type: json, body, headers: notReadyHeaders };
  }
}

/** The answer to HEAD has no body: Node leaves it out. */
function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

function textPage(status: number, text: string): Page {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}
