import { createServer } from 'node:net';
import type { Test } from 'tap';

/** A server that closes each connection at its second request without an answer, like a server whose process ends. */
export interface ForgetfulBackend {
  readonly port: number;
  /** How many requests began with this text. */
  received(start: string): number;
}

/** It reads only requests whose head and body come in one piece each, as the proxies send small ones. */
export async function startForgetfulBackend(t: Test): Promise<ForgetfulBackend> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let count = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', (piece) => {
      const text = piece.toString('latin1');
      if (!/^[A-Z]+ \//.test(text)) return;
      requests.push(text);
      count += 1;
      if (count > 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    t.teardown(() => socket.destroy());
  });
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    received: (start) => requests.filter((request) => request.startsWith(start)).length,
  };
}
