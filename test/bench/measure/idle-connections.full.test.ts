import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import t from 'tap';
import { whileIdle } from '../../../bench/measure/idle-connections.ts';

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('connections stay open while a function runs, and send a request now and then', async (t) => {
  const open = new Set<Socket>();
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const origin = await listen(server);
  await whileIdle({ origin, count: 250, askEveryMs: 100 }, async () => {
    t.equal(open.size, 250);
    while (asked < 700) await once(server, 'request');
  });
  while (open.size > 0) await once([...open][0] as Socket, 'close');
});

t.test('a connection that the server closes meanwhile is an error', async (t) => {
  const open = new Set<Socket>();
  const server = createServer((_request, response) => response.end('{}'));
  server.on('connection', (socket: Socket) => open.add(socket));
  const origin = await listen(server);
  const closeAll = async (): Promise<void> => {
    // A connection is closed once the other side has seen the end and closed it too.
    const closed = [...open].map((socket) => once(socket.end(), 'close'));
    await Promise.all(closed);
  };
  const held = whileIdle({ origin, count: 3, askEveryMs: 60_000 }, closeAll);
  await t.rejects(held, { message: '3 of 3 idle connections were closed by the server' });
});

t.test('connections that cannot be opened are an error', async (t) => {
  const server = createServer();
  const origin = await listen(server);
  server.close();
  await once(server, 'close');
  const held = whileIdle({ origin, count: 3, askEveryMs: 1000 }, async () => t.fail('it ran'));
  await t.rejects(held, { message: /^3 idle connections to .* could not be held: .*ECONNREFUSED/ });
});
