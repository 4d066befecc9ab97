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
import { basename, dirname, join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { Operator } from '../../src/operator/operator.ts';
import { remoteOperator } from '../../src/operator/operator-client.ts';
import { type OperatorServer, serveOperator } from '../../src/operator/operator-server.ts';
import { findSocketPlace, prepareSocketPlace } from '../../src/operator/socket-place.ts';
import { remoteWriter } from '../../src/writer/client/operator-port-client.ts';
import { localCommits } from '../../src/writer/thread/commits.ts';
import { FreeSpace } from '../../src/writer/thread/free-space.ts';
import { OperatorCommands, serveOperatorPort } from '../../src/writer/thread/operator-commands.ts';
import { eventually } from '../support/expectations.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { acme, exampleDocument, type OpenedOperator, openOperator, problemsOf } from './open-operator.ts';
import { type Head, SocketClient } from './socket-client.ts';

interface Served extends OpenedOperator {
  readonly server: OperatorServer;
  readonly remote: Operator;
  commits(): number;
}

/** The operator's server, connected by message ports as in a running service, but in one thread. */
async function serve(t: Test, directory?: string): Promise<Served> {
  const opened = openOperator(t);
  const place = directory ?? opened.directory;
  const { port1, port2 } = new MessageChannel();
  let commits = 0;
  const freeSpace = new FreeSpace(place, 0);
  const commands = new OperatorCommands({
    commits: localCommits(opened.store),
    freeSpace,
    baseUrl: 'http://127.0.0.1',
  });
  serveOperatorPort(port2, commands, {
    onCommit: () => {
      commits++;
    },
    onProgress: () => undefined,
    onFault: (fault) => t.fail(`a command failed: ${String(fault)}`),
  });
  const context = { callWriter: remoteWriter(port1), tokenPrefix: 'burgee' };
  const server = await serveOperator({ directory: place, storeId: opened.store.id, context });
  t.teardown(async () => {
    await server.stop();
    port1.close();
  });
  return {
    ...opened,
    server,
    remote: remoteOperator({ socketPath: findSocketPlace(place) }, opened.store.id),
    commits: () => commits,
  };
}

function apply(operator: Operator, document: unknown) {
  const file = Buffer.from(JSON.stringify(document));
  return operator('apply', file);
}

t.test('apply through the socket is the same as on the directory', async (t) => {
  const { remote, operator, commits } = await serve(t);
  const outcome = await apply(remote, exampleDocument);
  t.match(outcome, { ok: true, counts: { created: 6 } });
  t.equal(commits(), 1, 'other users of the store are notified');
  t.match(await apply(operator, exampleDocument), { ok: true, counts: { created: 0, changed: 0 } });
  t.match(problemsOf(await apply(remote, { nonsense: 1 })), ['unknown field "nonsense"']);
  const fields = { plan: 'free' } as const;
  t.match(await remote('set-plan', { organisation: 'Acme', fields }), { ok: true, value: { changed: true } });
  t.match(await remote('revoke-token', { tokenId: 'x'.repeat(20) }), {
    ok: false,
    problem: { code: 'not-found' },
  });
});

t.test('only the owner can connect', async (t) => {
  const { server, directory } = await serve(t);
  t.equal(server.socketPath, join(directory, 'burgee.sock'));
  t.equal(statSync(server.socketPath).mode & 0o777, 0o600);
});

t.test(
  'if the path is too long for a socket, the socket lies in a temporary directory, which is removed when the server stops',
  async (t) => {
    const directory = join(temporaryDirectory(t), 'd'.repeat(120));
    mkdirSync(directory);
    const { server, remote } = await serve(t, directory);
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
  },
);

t.test('the longest path that fits is used directly', async (t) => {
  const base = temporaryDirectory(t);
  const longest = process.platform === 'darwin' ? 103 : 107;
  const directory = join(base, 'd'.repeat(longest - base.length - '//burgee.sock'.length));
  mkdirSync(directory);
  const { server, remote } = await serve(t, directory);
  t.equal(Buffer.byteLength(server.socketPath), longest);
  t.equal(dirname(server.socketPath), directory);
  t.match(await apply(remote, exampleDocument), { ok: true });
});

t.test('the socket of a killed server is replaced', async (t) => {
  const directory = temporaryDirectory(t);
  const stale = createServer().listen(join(directory, 'burgee.sock'));
  await new Promise((resolve) => stale.once('listening', resolve));
  const long = join(temporaryDirectory(t), 'd'.repeat(120));
  mkdirSync(long);
  const first = await serve(t, directory);
  t.match(await apply(first.remote, exampleDocument), { ok: true }, 'the new server answers');
  stale.close();

  const gone = join(tmpdir(), `burgee-${process.pid}-gone`, 'burgee.sock');
  writeFileSync(join(long, 'burgee.sock.path'), `${gone}\n`);
  const second = await serve(t, long);
  t.not(second.server.socketPath, gone);
  t.match(await apply(second.remote, exampleDocument), { ok: true });
});

t.test('a server of a copied directory leaves the socket of the original alone', async (t) => {
  const original = join(temporaryDirectory(t), 'd'.repeat(120));
  mkdirSync(original);
  const { server, remote } = await serve(t, original);
  const copy = join(temporaryDirectory(t), 'c'.repeat(120));
  mkdirSync(copy);
  copyFileSync(join(original, 'burgee.sock.path'), join(copy, 'burgee.sock.path'));
  const other = await serve(t, copy);
  t.ok(existsSync(server.socketPath));
  t.not(other.server.socketPath, server.socketPath);
  t.match(await apply(remote, exampleDocument), { ok: true }, 'the server of the original answers');
});

t.test('the socket of a killed server is removed after its directory was moved', async (t) => {
  const before = join(temporaryDirectory(t), 'd'.repeat(120));
  mkdirSync(before);
  const left = prepareSocketPlace(before);
  const after = join(temporaryDirectory(t), 'moved');
  renameSync(before, after);
  await serve(t, after);
  t.notOk(existsSync(dirname(left)));
});

t.test('a pointer to anything but a socket of Burgee removes nothing', async (t) => {
  const directory = temporaryDirectory(t);
  const precious = join(temporaryDirectory(t), 'precious');
  writeFileSync(precious, 'x');
  writeFileSync(join(directory, 'burgee.sock.path'), `${precious}\n`);
  await serve(t, directory);
  t.ok(existsSync(precious));
});

t.test('a client for another store changes nothing', async (t) => {
  const { directory, store } = await serve(t);
  const stranger = remoteOperator({ socketPath: findSocketPlace(directory) }, 'x'.repeat(20));
  await t.rejects(apply(stranger, exampleDocument), {
    name: 'ServerFault',
    message: /has another store open/,
  });
  t.ok(store.isEmpty());
});

t.test('a server refuses a request for another store, and an unknown command', async (t) => {
  const { server, store } = await serve(t);
  const storeId = store.id;
  const wrong = '{"organisation":"Acme","fields":{"plan":""}}';
  const cases: readonly [verb: string, head: Head, body: string, answer: string][] = [
    ['apply', { storeId: 'other' }, '', '{"message":"The server of this directory has another store open'],
    ['apply', { storeId, protocol: '3' }, '', '{"message":"The running server has another version of Burgee'],
    ['dance', { storeId }, '', '{"message":"this server does not know that request"}'],
    ['apply', { storeId, method: 'GET' }, '', '{"message":"this server does not know that request"}'],
    ['set-plan', { storeId, bytes: wrong.length }, wrong, '{"message":"this server does not know that'],
    ['set-plan', { storeId, bytes: 1 }, '{', '{"message":"this server does not know that request"}'],
  ];
  for (const [verb, head, body, answer] of cases) {
    const client = new SocketClient(t, server.socketPath);
    client.ask(verb, head);
    if (body !== '') await client.continued();
    client.socket.write(body);
    await client.expect(answer);
    t.match(client.text, /HTTP\/1\.1 4\d\d /);
  }
  t.ok(store.isEmpty());
});

/* The protocol before HTTP: the server began with a frame of two lengths, a header in JSON, and a body. */
function frameOf(header: unknown): Uint8Array {
  const json = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  return Buffer.concat([lengths, json]);
}

t.test('a client with the protocol before HTTP learns that the server is of another version', async (t) => {
  const { server } = await serve(t);
  const socket = connect(server.socketPath);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  t.strictSame(Buffer.concat(chunks), Buffer.from(frameOf({ kind: 'hello', protocolVersion: 2 })));
});

t.test('a server with the protocol before HTTP is distinguished from a missing one', async (t) => {
  const socketPath = join(temporaryDirectory(t), 'burgee.sock');
  const hello = frameOf({ kind: 'hello', protocolVersion: 1, storeId: 'x'.repeat(20) });
  const old = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.write(hello);
  }).listen(socketPath);
  t.teardown(() => old.close());
  await once(old, 'listening');
  await t.rejects(apply(remoteOperator({ socketPath }, 'x'.repeat(20)), exampleDocument), {
    name: 'ServerFault',
    message:
      'The running server has another version of Burgee than this command: use the command of that version.',
  });
});

t.test('an answer that is cut off or too large is a fault of the server', async (t) => {
  const socketPath = join(temporaryDirectory(t), 'burgee.sock');
  let answer: (response: ServerResponse) => void = () => undefined;
  const server = createHttpServer((_, response) => answer(response)).listen(socketPath);
  t.teardown(() => server.close());
  await once(server, 'listening');
  const fails = async (message: RegExp, given: typeof answer): Promise<void> => {
    answer = given;
    const asked = apply(remoteOperator({ socketPath }, 'x'.repeat(20)), exampleDocument);
    await t.rejects(asked, { name: 'ServerFault', message });
  };
  const progress = '{"kind":"progress","phase":"check","done":1,"total":2}\n';
  await fails(/ended before it answered/, (response) => response.socket?.destroy());
  await fails(/ended before it answered/, (response) => response.end(progress));
  await fails(/ended before it answered/, (response) => {
    response.write('{"kind":"answer","answer":{"ok":true}}\n{"proj');
    response.socket?.destroySoon();
  });
  await fails(/answer of the server is too large/, (response) =>
    response.end(Buffer.alloc(2 * 2 ** 20, 'x')),
  );
});

t.test('connections without a request are closed in favour of new ones', async (t) => {
  const { server, remote } = await serve(t);
  t.match(await apply(remote, exampleDocument), { ok: true });
  const idle = Array.from({ length: 16 }, () => connect(server.socketPath));
  t.teardown(() => idle.map((socket) => socket.destroy()));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  // One client sends a few bytes now and then, and never a complete request.
  idle[0]?.write('POST /apply HTTP/1.1\r\nX: ');
  const trickle = setInterval(() => idle[0]?.write('x'), 1000);
  t.teardown(() => clearInterval(trickle));
  // A late byte may meet the closed end, which is an error of the socket before its close.
  for (const socket of idle) socket.on('error', () => undefined).resume();
  const closed = Promise.all(
    idle.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
  );
  const ask = () => remote('set-plan', { organisation: 'Acme', fields: { plan: 'free' } });
  const first: number[] = [];
  for (const [index, socket] of idle.entries()) socket.once('close', () => first.push(index));
  t.match(await ask(), { ok: true, value: { changed: true } }, 'a command needs not wait for their end');
  await closed;
  t.equal(first[0], 0, 'it took the place of the oldest one');
  t.match(await ask(), { ok: true, value: { changed: false } });
});

t.test('without a server the client says that there is none', async (t) => {
  const directory = temporaryDirectory(t);
  const nobody = remoteOperator({ socketPath: findSocketPlace(directory) }, 'x'.repeat(20));
  await t.rejects(apply(nobody, exampleDocument), { name: 'NoServer' });
  const dead = createServer().listen(join(directory, 'burgee.sock'));
  await new Promise((resolve) => dead.once('listening', resolve));
  t.equal(basename(findSocketPlace(directory)), 'burgee.sock');
  dead.close();
});

t.test('several clients at once are served in turn, each with the right answer', async (t) => {
  const { remote, reader } = await serve(t);
  const names = Array.from({ length: 8 }, (_, index) => `site-${index}`);
  const flags = Array.from({ length: 1500 }, (_, index) => ({ name: `f${index}` }));
  const outcomes = await Promise.all(names.map((name) => apply(remote, acme({ name, flags }))));
  t.ok(outcomes.every(({ ok }) => ok));
  const { queries } = reader();
  t.equal([...queries.organisations()].length, 1, 'the second finds the records of the first');
  t.strictSame([...queries.projects()].map(({ name }) => name).sort(), names);
});

t.test('a client that leaves early leaves nothing behind', async (t) => {
  const { server, store, remote } = await serve(t);
  const client = new SocketClient(t, server.socketPath);
  client.ask('apply', { storeId: store.id, bytes: 100 });
  await client.continued();
  client.socket.write('{');
  client.socket.destroy();
  t.match(await apply(remote, exampleDocument), { ok: true }, 'the next one has its turn');
});

t.test('a stopping server waits for the write under way', async (t) => {
  const { remote, server, reader } = await serve(t);
  const flags = Array.from({ length: 3000 }, (_, index) => ({ name: `f${index}` }));
  let stopped: Promise<void> | null = null;
  const file = Buffer.from(JSON.stringify(acme({ name: 'site', flags })));
  const applying = remote('apply', file, (phase) => {
    if (phase === 'write') stopped ??= server.stop();
  });
  t.match(await applying, { ok: true });
  await stopped;
  t.equal([...reader().queries.projects()].length, 1);
  t.notOk(existsSync(server.socketPath));
});

t.test('a stopping server refuses the waiting clients and says why', async (t) => {
  const { remote, server, store } = await serve(t);
  const first = new SocketClient(t, server.socketPath);
  first.ask('apply', { storeId: store.id, bytes: 100 });
  await first.continued();
  const waiting = apply(remote, exampleDocument);
  await eventually(() => server.connections === 2, 5000, 'the second request has not arrived');
  const told = t.rejects(waiting, { name: 'ServerFault', message: /is stopping; nothing was changed/ });
  await server.stop();
  await told;
  await first.expect('is stopping; nothing was changed');
  t.ok(store.isEmpty());
});
