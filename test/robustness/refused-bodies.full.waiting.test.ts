import { setInterval } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { openRawConnection, type RawConnection } from '../support/raw-request.ts';
import { type Besieged, besiege } from './robustness-fixture.ts';

/*
 * After a body is refused, its client may go on sending: it sees the answer when it has sent all, but it does not keep its
 * connection for as long as it likes.
 */
t.setTimeout(120_000);

const heads = ({ flag, token }: Besieged): readonly string[] => [
  `POST /ofrep/v1/evaluate/flags/${flag} HTTP/1.1\r\nHost: localhost\r\n`,
  `POST /api/v1/flags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`,
];
const tooLong = 'Content-Length: 100000000000\r\n\r\n';

/** Sends a piece every 100 ms until the service closes the connection. @returns milliseconds until then */
async function sendOn(connection: RawConnection): Promise<number> {
  const begunAt = performance.now();
  for await (const _ of setInterval(100)) {
    if (connection.isClosed()) break;
    connection.write('x'.repeat(1024));
  }
  return performance.now() - begunAt;
}

async function refused(t: Test, { server }: Besieged, head: string): Promise<RawConnection> {
  const connection = await openRawConnection(t, server.port);
  connection.write(head);
  const answer = await connection.response();
  t.match(answer?.head, /^HTTP\/1\.1 413 [\s\S]*\r\nConnection: close/i, head);
  return connection;
}

t.test('a client that sends on after its body was refused is cut off in the end', async (t) => {
  const besieged = await besiege(t);
  const cutAfterMs = async (head: string): Promise<number> =>
    sendOn(await refused(t, besieged, head + tooLong));
  for (const ms of await Promise.all(heads(besieged).map(cutAfterMs))) {
    t.ok(ms > 8000 && ms < 16_000, `it was cut off after ${ms} ms`);
  }
  await besieged.server.stop();
});

t.test('a client that sends nothing more is cut off in seconds', async (t) => {
  const besieged = await besiege(t);
  for (const head of heads(besieged)) {
    const begunAt = performance.now();
    await (await refused(t, besieged, head + tooLong)).closed;
    t.ok(performance.now() - begunAt < 6000);
  }
  await besieged.server.stop();
});

t.test('a client that reads only when it has sent a long body sees why it was refused', async (t) => {
  const besieged = await besiege(t);
  const [, head = ''] = heads(besieged);
  const pieces = 60;
  const piece = 'x'.repeat(64 * 1024);
  const connection = await openRawConnection(t, besieged.server.port);
  connection.pause();
  connection.write(`${head}Content-Length: ${pieces * piece.length}\r\n\r\n`);
  let sent = 0;
  for await (const _ of setInterval(100)) {
    await connection.written(piece);
    sent += 1;
    if (sent === pieces) break;
  }
  connection.resume();
  t.match(await connection.response(), { status: 413 });
  await besieged.server.stop();
});
