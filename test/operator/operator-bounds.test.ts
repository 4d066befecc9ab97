import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { encodeFrame, type Frame, FrameReader } from '../../src/operator/frame-codec.ts';
import { fileBytesMax } from '../../src/operator/operator-protocol.ts';
import { type OperatorServer, serveOperator } from '../../src/operator/operator-server.ts';
import { eventually } from '../support/expectations.ts';
import { acme, exampleDocument, openOperator } from './open-operator.ts';

/* What a client of the operator's socket may take of its thread, and for how long. */

const silenceMs = 300;

interface Served {
  readonly server: OperatorServer;
  readonly storeId: string;
}

async function serve(t: Test): Promise<Served> {
  const { directory, store, operator } = openOperator(t);
  const server = await serveOperator({ directory, storeId: store.id, operator, silenceMs });
  t.teardown(() => server.stop());
  return { server, storeId: store.id };
}

/** A client that sends what it is told to, whatever the protocol says. */
class Client {
  readonly socket: Socket;
  readonly kinds: string[] = [];
  /** Messages of `failed`. */
  readonly failures: string[] = [];

  constructor(t: Test, { server }: Served) {
    this.socket = connect(server.socketPath);
    this.socket.on('error', () => this.socket.destroy());
    const reader = new FrameReader(
      () => fileBytesMax,
      ({ header }: Frame) => {
        const { kind, message } = header as { readonly kind: unknown; readonly message?: string };
        this.kinds.push(String(kind));
        if (message !== undefined) this.failures.push(message);
      },
    );
    this.socket.on('data', (chunk: Buffer) => reader.push(chunk));
    t.teardown(() => this.socket.destroy());
  }

  send(header: unknown, body?: Uint8Array): void {
    for (const part of encodeFrame(header, body)) this.socket.write(part);
  }

  /** Resolves when a message of the kind has come. */
  expect(kind: string): Promise<void> {
    return eventually(() => this.kinds.includes(kind), 5000, `no ${kind}, but ${this.kinds}`);
  }
}

const file = { kind: 'file' };

t.test('a file is taken when it is its turn, and no body before', async (t) => {
  const served = await serve(t);
  const client = new Client(t, served);
  client.send(file, Buffer.from('{}'));
  await client.expect('failed');
  t.same(client.kinds, ['hello', 'failed']);

  const [first, second] = [new Client(t, served), new Client(t, served)];
  first.send({ kind: 'apply', storeId: served.storeId });
  await first.expect('ready-for-file');
  second.send({ kind: 'apply', storeId: served.storeId });
  second.send(file, Buffer.from(JSON.stringify(exampleDocument)));
  await second.expect('failed');
  t.notOk(second.kinds.includes('ready-for-file'), 'its turn had not come');
  first.send(file, Buffer.from(JSON.stringify(exampleDocument)));
  await first.expect('applied');
});

t.test('a client that waits for its turn may be silent for as long as that takes', async (t) => {
  const served = await serve(t);
  const [first, second] = [new Client(t, served), new Client(t, served)];
  first.send({ kind: 'apply', storeId: served.storeId });
  await first.expect('ready-for-file');
  second.send({ kind: 'apply', storeId: served.storeId });
  const bytes = Buffer.concat(encodeFrame(file, Buffer.from(JSON.stringify(exampleDocument))));
  // A byte now and then: the first one is slow, and not silent.
  for (let sent = 0; sent < 20; sent += 1) {
    first.socket.write(bytes.subarray(sent, sent + 1));
    await setTimeout(silenceMs / 5);
  }
  t.same(second.kinds, ['hello'], 'it waits');
  t.notOk(second.socket.destroyed);
  first.socket.destroy();
  await second.expect('ready-for-file');
});

t.test('a client that is asked for its file and is silent is cut off', async (t) => {
  const served = await serve(t);
  const client = new Client(t, served);
  client.send({ kind: 'apply', storeId: served.storeId });
  await client.expect('ready-for-file');
  await eventually(() => served.server.connections === 0, 10 * silenceMs, 'it is still connected');
  t.ok(true);
});

t.test('an answer that nobody takes is not kept', async (t) => {
  const served = await serve(t);
  const client = new Client(t, served);
  client.send({ kind: 'apply', storeId: served.storeId });
  await client.expect('ready-for-file');
  client.socket.pause();
  // Its answer names each flag, and is larger than what the socket takes.
  const flags = Array.from({ length: 20_000 }, (_, index) => ({ name: `flag-${index}`.padEnd(150, 'x') }));
  client.send(file, Buffer.from(JSON.stringify(acme({ name: 'site', flags }))));
  await eventually(() => served.server.connections === 0, 20_000, 'it is still connected');
  t.ok(client.socket.bytesRead < 2 ** 20, 'it has taken little of it');
});

t.test('files that wait for their turn leave places for other commands', async (t) => {
  const served = await serve(t);
  const appliers = Array.from({ length: 12 }, () => new Client(t, served));
  for (const client of appliers) client.send({ kind: 'apply', storeId: served.storeId });
  await appliers[0]?.expect('ready-for-file');
  const next = new Client(t, served);
  next.send({ kind: 'apply', storeId: served.storeId });
  await next.expect('failed');
  t.match(next.failures, [/12 files are being applied, or wait for it.*nothing was changed/]);
  const other = new Client(t, served);
  other.send({ kind: 'revoke-token', storeId: served.storeId, args: { tokenId: 'x'.repeat(20) } });
  await other.expect('token-revoked');
  appliers[0]?.socket.destroy();
  await appliers[1]?.expect('ready-for-file');
  const later = new Client(t, served);
  later.send({ kind: 'apply', storeId: served.storeId });
  for (const client of appliers.slice(1)) client.socket.destroy();
  await later.expect('ready-for-file');
});

t.test('a connection carries one request', async (t) => {
  const served = await serve(t);
  const client = new Client(t, served);
  client.send({ kind: 'apply', storeId: served.storeId });
  await client.expect('ready-for-file');
  client.send({ kind: 'apply', storeId: served.storeId });
  await client.expect('failed');
  t.same(client.failures, ['a connection carries one request, and this one has had it: open another one']);
  await eventually(() => client.socket.closed, 5000, 'the connection is not closed');
});
