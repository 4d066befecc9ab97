import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { Operator } from '../../src/operator/operator.ts';
import { remoteOperator } from '../../src/operator/operator-client.ts';
import { type OperatorServer, serveOperator } from '../../src/operator/operator-server.ts';
import { findSocketPlace, prepareSocketPlace } from '../../src/operator/socket-place.ts';
import { type CallWriter, remoteWriter } from '../../src/writer/client/operator-port-client.ts';
import { serveOperatorPort } from '../../src/writer/thread/operator-commands.ts';
import { eventually } from '../support/expectations.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { acme, exampleDocument, type OpenedOperator, openOperator, problemsOf } from './open-operator.ts';
import { type Head, SocketClient } from './socket-client.ts';

const MiB = 2 ** 20;
const file = Buffer.from(JSON.stringify(exampleDocument));

interface Served extends OpenedOperator {
  readonly server: OperatorServer;
  readonly remote: Operator;
  commits(): number;
  /** A client that may send any bytes. */
  connect(): SocketClient;
  /** Sends the head of a request of this store. */
  ask(client: SocketClient, verb: string, head?: Partial<Head>): void;
}

interface ServeOptions {
  readonly directory?: string;
  readonly silenceMs?: number;
  /** Called when the writer is asked to apply a document. */
  readonly onProvision?: () => void;
}

/** The operator's server, connected by message ports as in a running service, but in one thread. */
async function serve(t: Test, { directory, silenceMs, onProvision }: ServeOptions = {}): Promise<Served> {
  const opened = openOperator(t);
  const { port1, port2 } = new MessageChannel();
  let commits = 0;
  serveOperatorPort(port2, opened.commands, {
    onCommit: () => {
      commits++;
    },
    onFault: (fault) => t.fail(`a command failed: ${String(fault)}`),
  });
  const callPort = remoteWriter(port1);
  const callWriter: CallWriter = (name, args) => {
    if (name === 'provision') onProvision?.();
    return callPort(name, args);
  };
  const server = await serveOperator({
    directory: directory ?? opened.directory,
    storeId: opened.store.id,
    context: { callWriter, tokenPrefix: 'burgee' },
    ...(silenceMs === undefined ? {} : { silenceMs }),
  });
  t.teardown(async () => {
    await server.stop();
    port1.close();
  });
  return {
    ...opened,
    server,
    remote: remoteOperator(findSocketPlace(directory ?? opened.directory), opened.store.id),
    commits: () => commits,
    connect: () => new SocketClient(t, server.socketPath),
    ask: (client, verb, head) => client.ask(verb, { storeId: opened.store.id, ...head }),
  };
}

function apply(operator: Operator, document: unknown) {
  return operator('apply', Buffer.from(JSON.stringify(document)));
}

/** A short command that is refused. */
async function revokeNothing({ remote }: Served): Promise<void> {
  const answer = await remote('revoke-token', { tokenId: 'x'.repeat(20) });
  t.match(answer, { ok: false, problem: { code: 'not-found' } });
}

t.test('apply through the socket is the same as on the directory', async (t) => {
  const served = await serve(t);
  const { remote, operator, commits } = served;
  t.match(await apply(remote, exampleDocument), { ok: true, counts: { created: 6 } });
  t.equal(commits(), 1, 'other users of the store are notified');
  t.match(await apply(operator, exampleDocument), { ok: true, counts: { created: 0, changed: 0 } });
  t.match(problemsOf(await apply(remote, { nonsense: 1 })), ['unknown field "nonsense"']);
  const fields = { plan: 'free' } as const;
  t.match(await remote('set-plan', { organisation: 'Acme', fields }), { ok: true, value: { changed: true } });
  await revokeNothing(served);
});

/* The socket in the file system. */

t.test('only the owner can connect', async (t) => {
  const { server, directory } = await serve(t);
  t.equal(server.socketPath, join(directory, 'burgee.sock'));
  t.equal(statSync(server.socketPath).mode & 0o777, 0o600);
});

function longDirectory(t: Test): string {
  const directory = join(temporaryDirectory(t), 'd'.repeat(120));
  mkdirSync(directory);
  return directory;
}

t.test('a path too long for a socket: it is in a temporary directory until the server stops', async (t) => {
  const directory = longDirectory(t);
  const { server, remote } = await serve(t, { directory });
  const place = dirname(server.socketPath);
  t.equal(dirname(place), tmpdir());
  t.equal(statSync(place).mode & 0o777, 0o700);
  t.equal(statSync(server.socketPath).mode & 0o777, 0o600);
  t.equal(findSocketPlace(directory), server.socketPath);
  t.match(readFileSync(join(directory, 'burgee.sock.path'), 'utf8'), `${server.socketPath}\n`);
  t.match(await apply(remote, exampleDocument), { ok: true });
  await server.stop();
  t.notOk(existsSync(place));
  t.notOk(existsSync(join(directory, 'burgee.sock.path')));
});

t.test('the longest path that fits is used directly', async (t) => {
  const base = temporaryDirectory(t);
  const longest = process.platform === 'darwin' ? 103 : 107;
  const directory = join(base, 'd'.repeat(longest - base.length - '//burgee.sock'.length));
  mkdirSync(directory);
  const { server, remote } = await serve(t, { directory });
  t.equal(Buffer.byteLength(server.socketPath), longest);
  t.equal(dirname(server.socketPath), directory);
  t.match(await apply(remote, exampleDocument), { ok: true });
});

t.test('the socket of a killed server is replaced', async (t) => {
  const directory = temporaryDirectory(t);
  const stale = createServer().listen(join(directory, 'burgee.sock'));
  await once(stale, 'listening');
  const first = await serve(t, { directory });
  t.match(await apply(first.remote, exampleDocument), { ok: true }, 'the new server answers');
  stale.close();

  const long = longDirectory(t);
  const gone = join(tmpdir(), `burgee-${process.pid}-gone`, 'burgee.sock');
  writeFileSync(join(long, 'burgee.sock.path'), `${gone}\n`);
  const second = await serve(t, { directory: long });
  t.not(second.server.socketPath, gone);
  t.match(await apply(second.remote, exampleDocument), { ok: true });
});

t.test('a server of a copied directory leaves the socket of the original alone', async (t) => {
  const original = longDirectory(t);
  const { server, remote } = await serve(t, { directory: original });
  const copy = longDirectory(t);
  copyFileSync(join(original, 'burgee.sock.path'), join(copy, 'burgee.sock.path'));
  const other = await serve(t, { directory: copy });
  t.not(other.server.socketPath, server.socketPath);
  t.match(await apply(remote, exampleDocument), { ok: true }, 'the server of the original answers');
});

t.test('the socket of a killed server is removed after its directory was moved', async (t) => {
  const before = longDirectory(t);
  const left = prepareSocketPlace(before);
  const after = join(temporaryDirectory(t), 'moved');
  renameSync(before, after);
  await serve(t, { directory: after });
  t.notOk(existsSync(dirname(left)));
});

t.test('a pointer to anything but a socket of Burgee removes nothing', async (t) => {
  const directory = temporaryDirectory(t);
  const precious = join(temporaryDirectory(t), 'precious');
  writeFileSync(precious, 'x');
  writeFileSync(join(directory, 'burgee.sock.path'), `${precious}\n`);
  await serve(t, { directory });
  t.ok(existsSync(precious));
});

t.test('without a server the client says that there is none', async (t) => {
  const none = remoteOperator(findSocketPlace(temporaryDirectory(t)), 'x'.repeat(20));
  await t.rejects(apply(none, exampleDocument), { name: 'NoServer' });
});

/* What is refused before a body is read. */

t.test('a server refuses a request for another store, and an unknown command', async (t) => {
  const served = await serve(t);
  const wrong = '{"organisation":"Acme","fields":{"plan":""}}';
  const unknown = '{"message":"this server does not know that request"}';
  const cases: readonly [verb: string, head: Partial<Head>, body: string, answer: string][] = [
    ['apply', { storeId: 'other' }, '', '{"message":"The server of this directory has another store open'],
    ['apply', { protocol: '3' }, '', '{"message":"The running server has another version of Burgee'],
    ['dance', {}, '', unknown],
    ['apply', { method: 'GET' }, '', unknown],
    ['set-plan', { bytes: wrong.length }, wrong, unknown],
    ['set-plan', { bytes: 1 }, '{', unknown],
  ];
  for (const [verb, head, body, answer] of cases) {
    const client = served.connect();
    served.ask(client, verb, head);
    if (body !== '') await client.continued();
    client.socket.write(body);
    await client.expect(answer);
    t.match(client.text, /HTTP\/1\.1 4\d\d /);
  }
  const other = remoteOperator(served.server.socketPath, 'x'.repeat(20));
  await t.rejects(apply(other, exampleDocument), { name: 'ServerFault', message: /another store open/ });
  t.ok(served.store.isEmpty());
});

t.test('a body that is too large or of unknown length is refused before it is read', async (t) => {
  const served = await serve(t);
  const cases: readonly [verb: string, head: Partial<Head>, status: number][] = [
    ['apply', { bytes: 64 * MiB + 1 }, 413],
    ['set-plan', { bytes: MiB + 1 }, 413],
    ['apply', { bytes: null }, 411],
    ['apply', { bytes: null, more: 'Transfer-Encoding: chunked\r\n' }, 411],
    ['apply', { more: `X: ${'x'.repeat(16 * 1024)}\r\n` }, 431],
  ];
  for (const [verb, head, status] of cases) {
    const client = served.connect();
    served.ask(client, verb, head);
    await client.expect(`HTTP/1.1 ${status} `);
    await eventually(() => client.socket.closed, 5000, 'the connection is not closed');
    t.notMatch(client.text, '100 Continue');
  }
});

/* Clients that wait, are silent, or leave. */

t.test('a file is read when the files before it are applied; short commands do not wait', async (t) => {
  const served = await serve(t, { silenceMs: 1000 });
  const [first, second] = [served.connect(), served.connect()];
  served.ask(first, 'apply', { bytes: file.length });
  await first.continued();
  // White space makes the file larger than the sockets' buffers.
  const large = Buffer.concat([file, Buffer.alloc(8 * MiB, ' ')]);
  served.ask(second, 'apply', { bytes: large.length });
  second.socket.write(large);
  await second.expect('102 Processing');
  await revokeNothing(served);
  // The first client sends a byte now and then: it is slow, but not silent.
  for (let sent = 0; sent < 20; sent += 1) {
    first.socket.write(file.subarray(sent, sent + 1));
    await setTimeout(75);
  }
  t.ok(second.socket.writableLength > 4 * MiB, `the server has read it: ${second.socket.writableLength}`);
  t.equal(second.text, 'HTTP/1.1 102 Processing\r\n\r\n', 'it waits, longer than a client may be silent');
  first.socket.write(file.subarray(20));
  await first.expect('"created":6');
  await second.expect('"created":0');
});

t.test('a client that is silent at its turn, or does not read its answer, is disconnected', async (t) => {
  const served = await serve(t, { silenceMs: 300 });
  const silent = served.connect();
  served.ask(silent, 'apply', { bytes: file.length });
  await silent.continued();
  const unread = served.connect();
  // Its answer names each flag, and is larger than the socket's buffers.
  const flags = Array.from({ length: 20_000 }, (_, index) => ({ name: `flag-${index}`.padEnd(150, 'x') }));
  const large = Buffer.from(JSON.stringify(acme({ name: 'site', flags })));
  served.ask(unread, 'apply', { bytes: large.length });
  await unread.continued();
  t.ok(silent.socket.closed, 'the first one made room for the second');
  unread.socket.pause();
  unread.socket.write(large);
  await eventually(() => served.server.requests === 0, 20_000, 'it is still connected');
  t.ok(unread.socket.bytesRead < MiB, 'it has read little of the answer');
});

t.test('a connection carries one request', async (t) => {
  const served = await serve(t);
  const client = served.connect();
  served.ask(client, 'apply', { bytes: 0 });
  served.ask(client, 'apply');
  await eventually(() => client.socket.closed, 5000, 'the connection is not closed');
  t.notMatch(client.text, '200 OK', 'neither request is answered');
});

t.test('connections without a whole request are closed, and keep no command waiting', async (t) => {
  const served = await serve(t);
  const idle = Array.from({ length: 16 }, () => connect(served.server.socketPath));
  t.teardown(() => idle.map((socket) => socket.destroy()));
  // One client sends a few bytes now and then, and never a complete request.
  idle[0]?.write('POST /apply HTTP/1.1\r\nX: ');
  const trickle = setInterval(() => idle[0]?.write('x'), 1000);
  t.teardown(() => clearInterval(trickle));
  // A late byte may meet the closed end, which is an error of the socket before its close.
  const closed = idle.map(
    (socket) =>
      new Promise((resolve) =>
        socket
          .on('error', () => undefined)
          .on('close', resolve)
          .resume(),
      ),
  );
  await revokeNothing(served);
  await Promise.all(closed);
});

t.test('a client that leaves early leaves nothing behind', async (t) => {
  const served = await serve(t);
  const client = served.connect();
  served.ask(client, 'apply', { bytes: 100 });
  await client.continued();
  client.socket.write('{');
  client.socket.destroy();
  t.match(await apply(served.remote, exampleDocument), { ok: true }, 'the next one has its turn');
});

t.test('several clients at once each get the right answer', async (t) => {
  const { remote, reader } = await serve(t);
  const names = Array.from({ length: 8 }, (_, index) => `site-${index}`);
  const outcomes = await Promise.all(names.map((name) => apply(remote, acme({ name }))));
  for (const [index, outcome] of outcomes.entries())
    t.match(outcome, { ok: true, projects: { [`site-${index}`]: {} } });
  const { queries } = reader();
  t.equal([...queries.organisations()].length, 1, 'the second finds the records of the first');
  t.strictSame([...queries.projects()].map(({ name }) => name).sort(), names);
});

t.test('an answer that is cut off is a fault of the server', async (t) => {
  const socketPath = join(temporaryDirectory(t), 'burgee.sock');
  let answer: (response: ServerResponse) => void = () => undefined;
  const server = createHttpServer((_, response) => answer(response)).listen(socketPath);
  t.teardown(() => server.close());
  await once(server, 'listening');
  const cutOff: (typeof answer)[] = [
    (response) => response.socket?.destroy(),
    (response) => {
      response.setHeader('content-length', 1000).write('{"ok":true,"proj');
      response.socket?.destroySoon();
    },
  ];
  for (const given of cutOff) {
    answer = given;
    const asked = apply(remoteOperator(socketPath, 'x'.repeat(20)), exampleDocument);
    await t.rejects(asked, { name: 'ServerFault', message: /ended before it answered/ });
  }
});

/* The end of the server. */

t.test('a stopping server waits for the write under way', async (t) => {
  let stopped: Promise<void> | null = null;
  const { remote, server, reader } = await serve(t, {
    onProvision: () => {
      stopped = server.stop();
    },
  });
  t.match(await apply(remote, acme({ name: 'site' })), { ok: true });
  await stopped;
  t.equal([...reader().queries.projects()].length, 1);
  t.notOk(existsSync(server.socketPath));
});

t.test('a stopping server refuses the waiting clients and says why', async (t) => {
  const served = await serve(t);
  const { remote, server, store } = served;
  const first = served.connect();
  served.ask(first, 'apply', { bytes: 100 });
  await first.continued();
  const waiting = apply(remote, exampleDocument);
  await eventually(() => server.requests === 2, 5000, 'the second request has not arrived');
  const refused = t.rejects(waiting, { name: 'ServerFault', message: /is stopping; nothing was changed/ });
  await server.stop();
  await refused;
  await first.expect('is stopping; nothing was changed');
  t.ok(store.isEmpty());
});
