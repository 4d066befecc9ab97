import { type EventEmitter, once } from 'node:events';
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import t from 'tap';
import { metadataBytesMax, requestMsMax } from '../../src/flagd/flagd-service.ts';
import { adminClientOf } from '../admin/admin-fixture.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { createRandom } from '../support/random.ts';
import { bearer, bootFlagd, callSync, encodeSelector, grpcClient, provisionFlags } from './flagd-fixture.ts';

t.setTimeout(60_000);

function openSession(t: Lifetime, port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  t.teardown(() => session.destroy());
  return session;
}

/** Resolves when the session or stream is closed; it may have been reset. */
function closeOf(closed: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    closed.once('close', resolve);
  });
}

/** Sends a request whose frame has this length in its head. @returns its status of gRPC, null for none */
async function request(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: Buffer,
): Promise<string | null> {
  const stream = session.request({
    ...{ ':method': 'POST', ':path': '/flagd.sync.v1.FlagSyncService/SyncFlags', te: 'trailers' },
    ...{ 'content-type': 'application/grpc', ...headers },
  });
  let status: unknown = null;
  stream.on('response', (response) => {
    status = response['grpc-status'] ?? response[':status'] ?? null;
  });
  stream.on('trailers', (trailers) => {
    status = trailers['grpc-status'] ?? status;
  });
  stream.on('error', () => undefined);
  stream.resume();
  stream.end(body);
  await closeOf(stream);
  return status === null ? null : String(status);
}

function framed(message: Buffer, length = message.length, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

t.test('malformed requests are refused, and others are served as before', async (t) => {
  const store = await provisionFlags(t);
  const { server, flagdPort: port } = await bootFlagd(t, store.dataDir);
  const good = callSync(grpcClient(t, port), {
    selector: store.solo.id,
    metadata: bearer(store.secretOf('solo')),
  });
  await good.configuration(0);
  const session = openSession(t, port);
  const body = framed(encodeSelector(store.solo.id));
  const cases: readonly (readonly [name: string, headers: OutgoingHttpHeaders, body: Buffer])[] = [
    ['another content', { 'content-type': 'text/plain' }, body],
    ['another path', { ':path': '/nowhere' }, body],
    ['another method of the service', { ':path': '/flagd.sync.v1.FlagSyncService/Write' }, body],
    ['a deadline that is none', { 'grpc-timeout': 'soon' }, body],
    ['an encoding that is none', { 'grpc-encoding': 'br' }, framed(encodeSelector('x'), undefined, 1)],
    ['bytes that are no gzip', { 'grpc-encoding': 'gzip' }, framed(encodeSelector('x'), undefined, 1)],
    ['no body', {}, Buffer.alloc(0)],
    ['two messages', {}, Buffer.concat([body, body])],
    ['more than fits', {}, framed(Buffer.alloc(100_000))],
    ['metadata of bytes', { 'authorization-bin': '%%%', 'x-bin': '' }, body],
    ['two tokens', { authorization: 'Bearer a,Bearer b' }, body],
    ['a selector of 8 KiB', { 'flagd-selector': 'x/'.repeat(4096) }, body],
  ];
  for (const [name, headers, bytes] of cases) {
    t.not(await request(session, headers, bytes), '0', name);
  }

  const random = createRandom(17);
  for (let round = 0; round < 100; round += 1) {
    const socket = connectSocket(port, '127.0.0.1');
    socket.on('error', () => undefined);
    const bytes = Buffer.from(Array.from({ length: random.integer(1, 200) }, () => random.integer(0, 255)));
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
    if (random.chance(0.5)) socket.write(preface);
    socket.end(random.chance(0.1) ? 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' : bytes);
    socket.resume();
    await once(socket, 'close');
  }
  t.equal(good.received.length, 1);
  const again = callSync(grpcClient(t, port), {
    selector: store.solo.id,
    metadata: bearer(store.secretOf('solo')),
  });
  await again.configuration(0);
  t.notOk(
    server.lines.some((line) => line.includes('"level":50')),
    'nothing failed',
  );
  await server.stop();
});

t.test('who sends a request that is too long, or never complete, is cut off', async (t) => {
  const store = await provisionFlags(t);
  const settings = { BURGEE_ADMIN_PORT: '0' };
  const { server, flagdPort: port } = await bootFlagd(t, store.dataDir, settings);
  const good = callSync(grpcClient(t, port), {
    selector: store.solo.id,
    metadata: bearer(store.secretOf('solo')),
  });
  await good.configuration(0);

  const slow = openSession(t, port);
  const slowClosed = closeOf(slow);
  const path = '/flagd.sync.v1.FlagSyncService/SyncFlags';
  const headers = { ':method': 'POST', ':path': path, te: 'trailers', 'content-type': 'application/grpc' };
  for (let call = 0; call < 16; call += 1) {
    const stream = slow.request(headers);
    stream.on('error', () => undefined);
    stream.write(framed(Buffer.alloc(1000), 4000));
  }
  const long = openSession(t, port);
  const longClosed = closeOf(long);
  const startedAt = performance.now();
  const stream = long.request({ ...headers, 'flagd-selector': 'x'.repeat(metadataBytesMax) });
  stream.on('error', () => undefined);
  stream.end(framed(encodeSelector(store.solo.id)));
  await longClosed;
  t.ok(performance.now() - startedAt < requestMsMax, 'what is too long is not waited for');
  await slowClosed;

  // A whole message is not a whole request: another one may follow.
  const endless = openSession(t, port);
  const endlessClosed = closeOf(endless);
  const unended = endless.request(headers);
  unended.on('error', () => undefined);
  unended.write(framed(encodeSelector(store.solo.id)));
  await endlessClosed;
  t.ok(performance.now() - startedAt < 4 * requestMsMax);
  const metrics = await (await adminClientOf(t, server)).scrape();
  t.equal(metrics.value('burgee_flagd_cut_total', { reason: 'request' }), 3, 'each connection counts once');
  t.equal(good.received.length, 1);
  await callSync(grpcClient(t, port), {
    selector: store.solo.id,
    metadata: bearer(store.secretOf('solo')),
  }).configuration(0);
});

t.test('wrong tokens of an address are limited, and do not stop a valid one', async (t) => {
  const store = await provisionFlags(t);
  const settings = { BURGEE_FAILED_AUTHENTICATION_LIMIT: '2' };
  const { flagdPort: port } = await bootFlagd(t, store.dataDir, settings);
  const { id: selector } = store.solo;
  const ask = (secret: string) => callSync(grpcClient(t, port), { selector, metadata: bearer(secret) });
  for (const code of ['UNAUTHENTICATED', 'UNAUTHENTICATED', 'RESOURCE_EXHAUSTED']) {
    t.equal((await ask('burgee_nonsense').ended).code, code);
  }
  await ask(store.secretOf('solo')).configuration(0);
});

t.test('connections without a stream of one address are a quarter of all', async (t) => {
  const store = await provisionFlags(t);
  const settings = { BURGEE_SYNC_STREAMS_MAX: '4', BURGEE_ADMIN_PORT: '0' };
  const { server, flagdPort: port } = await bootFlagd(t, store.dataDir, settings);
  const idle = Array.from({ length: 66 }, () => connectSocket(port, '127.0.0.1'));
  t.teardown(() => {
    for (const socket of idle) socket.destroy();
  });
  for (const socket of idle) socket.on('error', () => undefined);
  // 65 of 260: the next one is closed.
  const closed = idle.map(async (socket, index) => {
    socket.resume();
    await once(socket, 'close');
    return index;
  });
  await Promise.race(closed);
  const metrics = await (await adminClientOf(t, server)).scrape();
  t.equal(metrics.value('burgee_flagd_cut_total', { reason: 'crowded' }), 1);
  t.equal(idle.filter((socket) => socket.destroyed).length, 1);
});
