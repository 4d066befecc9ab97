import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type OperatorServer, serveOperator } from '../../src/operator/operator-server.ts';
import { eventually } from '../support/expectations.ts';
import { acme, exampleDocument, openOperator } from './open-operator.ts';
import { type Head, SocketClient } from './socket-client.ts';

/* Bounds of a client of the operator's socket: memory, places and time. */

const silenceMs = 300;
const MiB = 2 ** 20;

interface Served {
  readonly server: OperatorServer;
  readonly storeId: string;
}

/** @param silence the service's time limit for silent clients, unless the test waits for it */
async function serve(t: Test, silence: { readonly silenceMs?: number } = {}): Promise<Served> {
  const { directory, store, context } = openOperator(t);
  const server = await serveOperator({ directory, storeId: store.id, context, ...silence });
  t.teardown(() => server.stop());
  return { server, storeId: store.id };
}

function connect(t: Test, { server }: Served): SocketClient {
  return new SocketClient(t, server.socketPath);
}

/** A short command that is refused. */
async function revokeNothing(t: Test, served: Served): Promise<void> {
  const client = connect(t, served);
  const args = JSON.stringify({ tokenId: 'x'.repeat(20) });
  client.ask('revoke-token', { storeId: served.storeId, bytes: args.length });
  await client.continued();
  client.socket.write(args);
  await client.expect('"code":"not-found"');
}

const file = Buffer.from(JSON.stringify(exampleDocument));

t.test("a body is read only at its command's turn", async (t) => {
  const served = await serve(t);
  const { storeId } = served;
  const [first, second] = [connect(t, served), connect(t, served)];
  first.ask('apply', { storeId, bytes: file.length });
  await first.continued();
  // White space makes the file larger than the sockets' buffers.
  const large = Buffer.concat([file, Buffer.alloc(8 * MiB, ' ')]);
  second.ask('apply', { storeId, bytes: large.length });
  second.socket.write(large);
  await second.expect('102 Processing');
  // The server answers others meanwhile.
  await revokeNothing(t, served);
  await revokeNothing(t, served);
  t.ok(second.socket.writableLength > 4 * MiB, `the server has read it: ${second.socket.writableLength}`);
  t.notMatch(second.text, '100 Continue', 'it was not its turn yet');
  first.socket.write(file);
  await first.expect('"created":6');
  await second.continued();
});

t.test('a body that is too large or of unknown length is refused before it is read', async (t) => {
  const served = await serve(t);
  const { storeId } = served;
  const cases: readonly [verb: string, head: Omit<Head, 'storeId'>, status: number][] = [
    ['apply', { bytes: 512 * MiB + 1 }, 413],
    ['set-plan', { bytes: MiB + 1 }, 413],
    ['apply', { bytes: null }, 411],
    ['apply', { bytes: null, more: 'Transfer-Encoding: chunked\r\n' }, 411],
    ['apply', { more: `X: ${'x'.repeat(16 * 1024)}\r\n` }, 431],
  ];
  for (const [verb, head, status] of cases) {
    const client = connect(t, served);
    client.ask(verb, { storeId, ...head });
    await client.expect(`HTTP/1.1 ${status} `);
    await eventually(() => client.socket.closed, 5000, 'the connection is not closed');
    t.notMatch(client.text, '100 Continue');
  }
});

t.test('a client may be silent while it waits for its turn', async (t) => {
  const served = await serve(t, { silenceMs });
  const { storeId } = served;
  const [first, second] = [connect(t, served), connect(t, served)];
  first.ask('apply', { storeId, bytes: file.length });
  await first.continued();
  second.ask('apply', { storeId, bytes: file.length });
  // Sends a byte now and then: the first client is slow, but not silent.
  for (let sent = 0; sent < 20; sent += 1) {
    first.socket.write(file.subarray(sent, sent + 1));
    await setTimeout(silenceMs / 5);
  }
  t.equal(second.text, 'HTTP/1.1 102 Processing\r\n\r\n', 'it waits');
  t.notOk(second.socket.destroyed);
  first.socket.destroy();
  await second.continued();
});

t.test('a client that is silent at its turn is cut off', async (t) => {
  const served = await serve(t, { silenceMs });
  const client = connect(t, served);
  client.ask('apply', { storeId: served.storeId, bytes: file.length });
  await client.continued();
  await eventually(() => served.server.connections === 0, 10 * silenceMs, 'it is still connected');
  t.ok(true);
});

t.test('an unread answer is dropped', async (t) => {
  const served = await serve(t, { silenceMs });
  const client = connect(t, served);
  // Its answer names each flag, and is larger than the socket's buffers.
  const flags = Array.from({ length: 20_000 }, (_, index) => ({ name: `flag-${index}`.padEnd(150, 'x') }));
  const large = Buffer.from(JSON.stringify(acme({ name: 'site', flags })));
  client.ask('apply', { storeId: served.storeId, bytes: large.length });
  await client.continued();
  client.socket.pause();
  client.socket.write(large);
  await eventually(() => served.server.connections === 0, 20_000, 'it is still connected');
  t.ok(client.socket.bytesRead < MiB, 'it has read little of the answer');
});

t.test('waiting files leave places for other commands', async (t) => {
  const served = await serve(t);
  const { storeId } = served;
  const appliers = Array.from({ length: 12 }, () => connect(t, served));
  for (const client of appliers) client.ask('apply', { storeId });
  await appliers[0]?.continued();
  const next = connect(t, served);
  next.ask('apply', { storeId });
  await next.expect('HTTP/1.1 503 ');
  await next.expect('12 files are being applied or wait for their turn');
  t.match(next.text, 'nothing was changed');
  await revokeNothing(t, served);
  appliers[0]?.socket.destroy();
  await appliers[1]?.continued();
  const later = connect(t, served);
  later.ask('apply', { storeId });
  for (const client of appliers.slice(1)) client.socket.destroy();
  await later.continued();
});

t.test('a connection carries one request', async (t) => {
  const served = await serve(t);
  const { storeId } = served;
  const client = connect(t, served);
  client.ask('apply', { storeId, bytes: 0 });
  client.ask('apply', { storeId });
  await eventually(() => client.socket.closed, 5000, 'the connection is not closed');
  t.notMatch(client.text, '200 OK', 'neither request is answered');
});
