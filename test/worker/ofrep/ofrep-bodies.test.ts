import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { startOfrep } from './ofrep-fixture.ts';

t.setTimeout(120_000);

const { solo, server, ask } = await startOfrep(t, {
  BURGEE_REQUEST_DEADLINE_MS: '400',
  BURGEE_WORKERS: '1',
});
const path = `/projects/${solo.id}/ofrep/v1/evaluate/flags/banner`;
const body = '{"context":{"cohort":"beta","name":"ü"}}';
const length = Buffer.byteLength(body);

interface Raw {
  readonly socket: Socket;
  /** @returns what came until the text occurs in it */
  until(text: string): Promise<string>;
  readonly closed: Promise<void>;
}

function open(t: Test): Promise<Raw> {
  const socket = connect(server.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    received += piece;
    socket.emit('received');
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  const until = (text: string) =>
    new Promise<string>((resolve) => {
      const look = () => {
        if (received.includes(text)) resolve(received);
      };
      socket.on('received', look);
      look();
    });
  return new Promise((resolve) => socket.on('connect', () => resolve({ socket, until, closed })));
}

function head(lines: readonly string[] = [`Content-Length: ${length}`]): string {
  return [`POST ${path} HTTP/1.1`, 'Host: burgee', ...lines, '', ''].join('\r\n');
}

t.test('a body that comes in pieces, each after the one before was taken in', async (t) => {
  const { socket, until } = await open(t);
  socket.write(head());
  const bytes = Buffer.from(body);
  for (const [start, end] of [
    [0, 1],
    [1, length - 1],
    [length - 1, length],
  ]) {
    // Another request is answered meanwhile: what was sent is not in one buffer with what follows.
    await ask(`/projects/${solo.id}`, 'banner');
    socket.write(bytes.subarray(start, end));
  }
  t.match(await until('cohort-match'), /^HTTP\/1.1 200 OK/);
  socket.write(head() + body);
  await until('cohort-match"');
});

t.test('requests one behind the other in one write are answered in their order', async (t) => {
  const { socket, until } = await open(t);
  const off = '{"context":{"cohort":"other"}}';
  socket.write(head() + body + head([`Content-Length: ${off.length}`]) + off + head() + body.slice(0, 5));
  socket.write(body.slice(5));
  const received = await until('full-rollout');
  t.ok(received.indexOf('cohort-match') < received.indexOf('full-rollout'));
});

t.test('a body that stops arriving is refused, and its connection closed', async (t) => {
  for (const sent of ['', body.slice(0, 10)]) {
    const { socket, until, closed } = await open(t);
    socket.write(head() + sent);
    const received = await until('stopped arriving');
    t.match(received, /^HTTP\/1.1 400/);
    t.match(received, /"key":"banner","errorCode":"PARSE_ERROR"/);
    await closed;
  }
});

t.test('a client that goes away in its body leaves nothing behind', async (t) => {
  for (let round = 0; round < 20; round += 1) {
    const { socket, closed } = await open(t);
    socket.write(head() + body.slice(0, round));
    socket.destroy();
    await closed;
  }
  t.equal((await ask(`/projects/${solo.id}`, 'banner')).status, 200);
});

t.test('a head whose end is not certain is refused in the shape of OFREP', async (t) => {
  const heads = [
    [`Content-Length: ${length}`, `Content-Length: ${length}`],
    [`Content-Length: ${length}`, 'Transfer-Encoding: chunked'],
    [`Content-Length: ${length}`, 'Host: other'],
  ];
  for (const lines of heads) {
    const { socket, until, closed } = await open(t);
    socket.write(head(lines) + body);
    // uWebSockets.js answers some of them by itself.
    const received = await until('HTTP/1.1 400');
    if (received.includes('errorCode')) t.match(received, /"key":"banner","errorCode":"GENERAL"/);
    await closed;
  }
  const { socket, until } = await open(t);
  socket.write(`${head(['Transfer-Encoding: chunked'])}${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  t.match(await until('cohort-match'), /^HTTP\/1.1 200 OK/, 'chunks');
});
