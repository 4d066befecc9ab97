import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifetime } from '../../support/lifetime.ts';

export interface PrefixProxy {
  /** Address with the prefix. */
  readonly url: string;
  /** Passes requests on to this port from now on. */
  forward(port: number): void;
}

/** A proxy of a shared host: it takes the prefix off, and has nothing at any other path. */
export async function startPrefixProxy(t: Lifetime, prefix: string): Promise<PrefixProxy> {
  let target = 0;
  const pass = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const { url = '', method, headers } = incoming;
    if (url !== prefix && !url.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const path = url.slice(prefix.length) || '/';
    const outgoing = request({ port: target, host: '127.0.0.1', path, method, headers });
    outgoing.on('response', (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  };
  const server = createServer(pass);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    forward: (port) => {
      target = port;
    },
  };
}
