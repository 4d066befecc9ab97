import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type BootedServer, bootServer, startServer, unlimited } from '../support/booted-server.ts';
import { bearer, type ClientResponse, createHttpClient } from '../support/http-client.ts';
import { openRawConnection, type RawConnection } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type Provisioned, provisionOne } from './lifecycle-fixture.ts';

/*
 * Every signal while the server starts, serves and drains. SIGTERM, SIGINT and SIGHUP: stop accepting, answer requests in
 * flight, commit, exit 0 within the drain time. A second SIGTERM or SIGINT exits at once.
 */
t.setTimeout(120_000);

t.test('SIGTERM answers a request whose body is still coming, and exits 0', async (t) => {
  const provisioned = await provisionOne(t);
  const server = await bootServer(t, { dataDir: provisioned.dataDir, settings: unlimited });
  const started = await startPatch(t, server, provisioned);
  server.signal('SIGTERM');
  await refusesConnections(t, server);
  started.finish();
  const answer = await started.connection.response();
  t.equal(answer?.status, 200, 'the patch that was under way is answered');
  t.match(JSON.parse(answer?.body.toString() ?? '{}'), { changed: true, flag: { enabled: true } });
  t.equal(await server.ended, 0);
  t.test('and the acknowledged change is there at the next start', async (t) => {
    const again = await bootServer(t, { dataDir: provisioned.dataDir });
    const client = createHttpClient(t, { port: again.port });
    const { text } = await client.send({ path: `/v1/flags/${provisioned.flag}` });
    t.match(JSON.parse(text), { enabled: true });
    await again.stop();
  });
});

t.test('SIGTERM under load: acknowledged changes are kept, nothing hangs, exit 0', async (t) => {
  const { dataDir, flag, secret } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: unlimited });
  let acknowledged = 0;
  const statuses = new Set<number>();
  const patchUntilRefused = async (number: number): Promise<void> => {
    const client = createHttpClient(t, { port: server.port });
    for (let turn = 0; ; turn += 1) {
      const body = JSON.stringify({ cohorts: [`client-${number}-${turn}`] });
      const request = { method: 'PATCH', path: `/api/v1/flags/${flag}`, headers: bearer(secret), body };
      const response = await client.send(request).catch(() => null);
      if (response === null || response.status === 503) return;
      statuses.add(response.status);
      acknowledged = Math.max(acknowledged, updatedAtOf(response));
      if (number === 0 && turn === 20) server.signal('SIGTERM');
    }
  };
  await Promise.all(Array.from({ length: 32 }, (_, number) => patchUntilRefused(number)));
  t.same([...statuses], [200]);
  t.equal(await server.ended, 0);
  const again = await bootServer(t, { dataDir });
  const client = createHttpClient(t, { port: again.port });
  const stored = await client.send({ path: `/api/v1/flags/${flag}`, headers: bearer(secret) });
  t.ok(JSON.parse(stored.text).updatedAt >= acknowledged, 'the last acknowledged change is stored');
  await again.stop();
});

t.test('SIGTERM ends the process within the drain time, despite open connections and bodies', async (t) => {
  const provisioned = await provisionOne(t);
  const settings = { ...unlimited, BURGEE_DRAIN_TIMEOUT_MS: '500' };
  const server = await bootServer(t, { dataDir: provisioned.dataDir, settings });
  await startPatch(t, server, provisioned);
  const idle = await openRawConnection(t, server.port);
  const signalledAt = performance.now();
  server.signal('SIGTERM');
  t.equal(await server.ended, 0);
  t.ok(performance.now() - signalledAt < 3000, 'it did not wait for the incomplete body');
  t.ok(await idle.closed.then(() => true));
});

t.test('idle kept connections do not delay the end', async (t) => {
  const { dataDir } = await provisionOne(t);
  const server = await bootServer(t, { dataDir });
  const client = createHttpClient(t, { port: server.port });
  t.equal((await client.send({ path: '/health' })).status, 200);
  const signalledAt = performance.now();
  server.signal('SIGTERM');
  t.equal(await server.ended, 0);
  t.ok(performance.now() - signalledAt < 3000);
});

const harmless = ['SIGUSR1', 'SIGUSR2'] as const;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  t.test(`${signal} ends a node that waits for PostgreSQL, in order`, async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const settings = { BURGEE_CLUSTER_URL: `postgres://burgee@127.0.0.1:${port}/burgee?sslmode=disable` };
    const server = startServer(t, { dataDir: join(temporaryDirectory(t), 'data'), settings });
    await once(silent, 'connection');
    for (const other of harmless) server.signal(other);
    await once(silent, 'connection');
    const signalledAt = performance.now();
    server.signal(signal);
    t.equal(await server.ended, 0, server.lines.join('\n'));
    t.ok(performance.now() - signalledAt < 8000);
    t.notMatch(server.lines.join('\n'), /Debugger|"level":(50|60)/);
  });
}

t.test('SIGINT and SIGHUP drain too; SIGUSR1 and SIGUSR2 do nothing, nor does a second SIGHUP', async (t) => {
  const provisioned = await provisionOne(t);
  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    const server = await bootServer(t, { dataDir: provisioned.dataDir, settings: unlimited });
    const started = await startPatch(t, server, provisioned);
    for (const other of harmless) server.signal(other);
    const client = createHttpClient(t, { port: server.port });
    t.equal((await client.send({ path: '/health' })).status, 200, 'it serves on');
    server.signal(signal);
    await refusesConnections(t, server);
    for (const other of [...harmless, 'SIGHUP'] as const) server.signal(other);
    started.finish();
    t.equal((await started.connection.response())?.status, 200, `${signal}: the patch under way is answered`);
    t.equal(await server.ended, 0);
    t.notMatch(server.lines.join('\n'), /Debugger/);
  }
});

for (const second of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`a second signal (${second}) exits at once`, async (t) => {
    const provisioned = await provisionOne(t);
    const settings = { ...unlimited, BURGEE_DRAIN_TIMEOUT_MS: '60000', BURGEE_REQUEST_DEADLINE_MS: '60000' };
    const server = await bootServer(t, { dataDir: provisioned.dataDir, settings });
    await startPatch(t, server, provisioned);
    server.signal('SIGTERM');
    await refusesConnections(t, server);
    const signalledAt = performance.now();
    server.signal(second);
    t.not(await server.ended, 0, 'a request was still in flight');
    t.ok(performance.now() - signalledAt < 2000, 'it did not wait for the drain time');
  });
}

/** A patch of which the server has read only a part. */
async function startPatch(
  t: Test,
  server: BootedServer,
  { flag, secret }: Provisioned,
): Promise<{ connection: RawConnection; finish: () => void }> {
  const connection = await openRawConnection(t, server.port);
  const body = '{"enabled":true}';
  const head = [
    `PATCH /api/v1/flags/${flag} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${secret}`,
    `Content-Length: ${body.length}`,
  ];
  connection.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
  // Once each worker has answered some later requests, it has read all that was written before them.
  const client = createHttpClient(t, { port: server.port, connectionsMax: 16 });
  for (let turn = 0; turn < 20; turn += 1) {
    await Promise.all(Array.from({ length: 16 }, () => client.send({ path: '/health' })));
  }
  return { connection, finish: () => connection.write(body.slice(5)) };
}

/** Waits until the server accepts no more connections. */
async function refusesConnections(t: Test, server: BootedServer): Promise<void> {
  for (;;) {
    const connection = await openRawConnection(t, server.port).catch(() => null);
    if (connection === null) return;
    connection.destroy();
  }
}

function updatedAtOf(response: ClientResponse): number {
  return (JSON.parse(response.text) as { flag: { updatedAt: number } }).flag.updatedAt;
}
