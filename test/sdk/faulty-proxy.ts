import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifetime } from '../support/lifetime.ts';

/**
 * What a proxy does with answers. `buffers`: of a stream it passes on the head alone. `cuts`: it breaks the connection in
 * the middle of an event. `stalls`: nothing arrives any more, and nothing is closed. `502` and `html`: it answers by itself.
 */
export type ProxyFault = 'none' | 'buffers' | 'cuts' | 'stalls' | '502' | 'html';

/** A proxy between a client and a service, which can have faults. */
export class FaultyProxy {
  readonly #portOf: () => number;
  readonly #answers = new Set<ServerResponse>();
  #fault: ProxyFault = 'none';
  url = '';
  /** Requests for a stream. */
  streams = 0;

  /** @param portOf where the service is now */
  constructor(portOf: () => number) {
    this.#portOf = portOf;
  }

  async start(t: Lifetime): Promise<this> {
    const server = createServer((request, answer) => this.#pass(request, answer));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    t.teardown(() => {
      this.#cut();
      server.close();
    });
    return this;
  }

  /** From now on, also for open connections; those that a fault holds are cut when it ends. */
  set(fault: ProxyFault): void {
    this.#fault = fault;
    if (fault === 'none' || fault === '502' || fault === 'html') this.#cut();
  }

  #cut(): void {
    for (const answer of this.#answers) answer.destroy();
  }

  #pass(request: IncomingMessage, answer: ServerResponse): void {
    this.#answers.add(answer);
    answer.once('close', () => this.#answers.delete(answer));
    if (request.headers.accept === 'text/event-stream') this.streams += 1;
    if (this.#fault === '502')
      answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    else if (this.#fault === 'html')
      answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>');
    else this.#ask(request, answer);
  }

  #ask(request: IncomingMessage, answer: ServerResponse): void {
    const { method, url, headers } = request;
    const far = requestOf({
      port: this.#portOf(),
      host: '127.0.0.1',
      method,
      path: url,
      headers,
      agent: false,
    });
    answer.once('close', () => far.destroy());
    far.on('error', () => answer.destroy());
    far.on('response', (response) => {
      const isStream = response.headers['content-type'] === 'text/event-stream';
      if (this.#fault !== 'stalls')
        answer.writeHead(response.statusCode ?? 500, response.headers).flushHeaders();
      response.on('data', (bytes: Buffer) => this.#forward(bytes, answer, isStream));
      response.on('end', () => answer.end());
      response.on('error', () => answer.destroy());
    });
    request.pipe(far);
  }

  #forward(bytes: Buffer, answer: ServerResponse, isStream: boolean): void {
    if (this.#fault === 'stalls' || (isStream && this.#fault === 'buffers')) return;
    if (!isStream || this.#fault !== 'cuts' || !/event: (delta|snapshot)/.test(bytes.toString('latin1'))) {
      answer.write(bytes);
      return;
    }
    answer.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => answer.destroy());
  }
}
