import { Agent, request as sendRequest } from 'node:http';
import { request as sendTlsRequest, Agent as TlsAgent } from 'node:https';
import type { Lifetime } from './lifetime.ts';

export interface ClientRequest {
  readonly method?: string;
  /** The path as sent: not encoded or normalised. Characters above U+007E are sent as UTF-8. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Sends the body in chunks, without a Content-Length. */
  readonly isChunked?: boolean;
}

export interface ClientResponse {
  readonly status: number;
  /** Headers by lower-case name; repeated ones are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly text: string;
  /** Time from the first byte sent to the last one received. */
  readonly durationMs: number;
}

export interface HttpClient {
  send(request: ClientRequest): Promise<ClientResponse>;
}

/** Time limit of an answer, far above every deadline of the service. */
const answerTimeoutMs = 30_000;
/** A connection is not used again after so long, since the service closes a silent one after some 10 s. */
const keptMs = 5000;
const chunkBytes = 16 * 1024;

export interface HttpClientOptions {
  readonly port: number;
  /** Any of 127.0.0.0/8: the address that the per-address limits see. */
  readonly localAddress?: string;
  readonly connectionsMax?: number;
  /** For a server with TLS: the certificate to trust. */
  readonly certificate?: string;
}

/** A client on Node's own HTTP parser, with kept connections. They are closed when the test ends. */
export function createHttpClient(t: Lifetime, options: HttpClientOptions): HttpClient {
  const kept = { keepAlive: true, timeout: keptMs, maxSockets: options.connectionsMax ?? 1 };
  const { certificate } = options;
  const agent = certificate === undefined ? new Agent(kept) : new TlsAgent({ ...kept, ca: certificate });
  t.teardown(() => agent.destroy());
  return { send: (request) => send(agent, options, request) };
}

function send(agent: Agent, options: HttpClientOptions, request: ClientRequest): Promise<ClientResponse> {
  const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
  const headers: Record<string, string> = { ...request.headers };
  if (body !== undefined && !request.isChunked) headers['content-length'] = String(body.length);
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = (options.certificate === undefined ? sendRequest : sendTlsRequest)({
      agent,
      host: '127.0.0.1',
      port: options.port,
      ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
      method: request.method ?? 'GET',
      path: Buffer.from(request.path).toString('latin1'),
      headers,
      timeout: answerTimeoutMs,
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer to ${request.method} ${request.path}`)));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const whole = Buffer.concat(pieces);
        resolve({
          status: response.statusCode ?? 0,
          headers: headerMap(response.rawHeaders),
          body: whole,
          text: whole.toString('utf8'),
          durationMs: performance.now() - startedAt,
        });
      });
    });
    for (let at = 0; body !== undefined && request.isChunked && at < body.length; at += chunkBytes) {
      sent.write(body.subarray(at, at + chunkBytes));
    }
    sent.end(request.isChunked ? undefined : body);
  });
}

function headerMap(rawHeaders: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  return headers;
}

/** @returns the Authorization header of a token's secret. */
export function bearer(secret: string): Record<string, string> {
  return { authorization: `Bearer ${secret}` };
}
