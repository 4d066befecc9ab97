import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { unprivilegedIds } from '../../packaging/unprivileged.ts';
import { eventually } from '../../support/expectations.ts';
import { freePort } from '../../support/free-port.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** How another parser reads the bytes of one connection. */
export interface Reading {
  /** The paths of the requests that it saw, in order. */
  readonly paths: readonly string[];
}

/** A server that reads HTTP strictly, and answers every request. */
export interface StrictParser {
  readonly name: string;
  /** @param bytes Latin-1: all bytes of the connection. @param lastPath the path of the last request */
  read(bytes: string, lastPath: string): Promise<Reading>;
}

const seenHeader = 'x-seen';

/** llhttp, as Node's own server has it. */
export async function startNodeParser(t: Lifetime): Promise<StrictParser> {
  const server: Server = createServer((request, response) => {
    response.setHeader(seenHeader, request.url ?? '');
    request.on('end', () => response.end('ok'));
    request.resume();
  });
  // Requests are counted by their heads: a request with an incomplete body counts too.
  const seen = new Map<number, string[]>();
  server.on('request', (request) => {
    const port = request.socket.remotePort ?? 0;
    seen.set(port, [...(seen.get(port) ?? []), request.url ?? '']);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  t.teardown(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return {
    name: 'llhttp',
    read: async (bytes) => {
      const { localPort } = await exchange(port, bytes, null);
      const paths = seen.get(localPort) ?? [];
      seen.delete(localPort);
      return { paths };
    },
  };
}

/**
 * HAProxy without a backend: it answers each request itself once the body is there, and names the request also if that
 * fails.
 */
function haproxyConfig(port: number): string {
  return `
global
    maxconn 500
defaults
    mode http
    timeout client 300ms
    timeout http-request 300ms
    timeout http-keep-alive 300ms
    timeout connect 1s
    timeout server 5s
frontend strict
    bind 127.0.0.1:${port}
    http-request set-var(txn.seen) path
    http-request wait-for-body time 200ms
    http-request return status 200 content-type text/plain string ok
    http-after-response set-header ${seenHeader} %[var(txn.seen)] if { var(txn.seen) -m found }
`;
}

/** @param program HAProxy's path */
export async function startHaproxyParser(t: Lifetime, program: string): Promise<StrictParser> {
  const port = await freePort();
  const directory = temporaryDirectory(t);
  chmodSync(directory, 0o755);
  const file = join(directory, 'strict.cfg');
  writeFileSync(file, haproxyConfig(port));
  const child = spawn(program, ['-db', '-f', file], { ...unprivilegedIds, stdio: 'ignore' });
  const ended = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const accepts = (): Promise<boolean> => exchange(port, '', () => true).then(Boolean, () => false);
  await eventually(accepts, 10_000, 'HAProxy does not listen');
  return {
    name: 'HAProxy',
    read: async (bytes, lastPath) => {
      const pathsOf = (text: string) =>
        [...text.matchAll(/\r\nx-seen: ([^\r]*)/g)].map(([, path = '']) => path);
      // On the end of the stream HAProxy may close before it has read all bytes.
      const { text } = await exchange(port, bytes, (sofar) => pathsOf(sofar).at(-1) === lastPath);
      return { paths: pathsOf(text) };
    },
  };
}

/**
 * Sends bytes, and waits until the server closes or enough answers have come.
 * @param isEnough tests the text so far; without it the stream is ended after the bytes
 */
function exchange(
  port: number,
  bytes: string,
  isEnough: ((text: string) => boolean) | null,
): Promise<{ readonly text: string; readonly localPort: number }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    let localPort = 0;
    socket.setEncoding('latin1');
    socket.once('connect', () => {
      localPort = socket.localPort ?? 0;
      if (isEnough === null) socket.end(Buffer.from(bytes, 'latin1'));
      else if (bytes === '') socket.destroy();
      else socket.write(Buffer.from(bytes, 'latin1'));
    });
    socket.on('data', (piece: string) => {
      text += piece;
      if (isEnough?.(text)) socket.destroy();
    });
    socket.on('error', (fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ECONNREFUSED') reject(fault);
    });
    socket.on('close', () => resolve({ text, localPort }));
  });
}
