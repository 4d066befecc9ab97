import { setImmediate, setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { inMegabytes, ownBytesOf } from '../campaigns/resources.ts';
import { describe } from '../support/latency-probe.ts';
import { openRawConnection, type RawConnection, type RawResponse } from '../support/raw-request.ts';
import { besiege, besiegeAndWatch, type Watched } from './robustness-fixture.ts';

/*
 * A byte of a body in a chunk of its own takes six bytes on the wire. It must not take more than that in memory, and
 * the service must not read the body of a client without the right to send one.
 */
t.setTimeout(120_000);

const connections = 4;
/** Chunks on each connection: fewer than a body's largest size, so that the body is never too large. */
const chunksEach = 1_000_000;
const piece = '1\r\na\r\n'.repeat(10_000);
/** Bytes that the service and the kernel's buffers take of such a body, before nothing more is read. */
const takenMax = 6 * 1024 * 1024;
/** Far more than the bodies' bytes, and far less than an object for each byte would take. */
const growthMaxBytes = 96 * 1024 * 1024;

interface Flooding {
  readonly answers: readonly (RawResponse | null)[];
  readonly growthBytes: number;
  readonly shown: string;
}

/** Sends bodies in chunks of a byte, all at once, and reports the peak memory of the process. */
async function flood(t: Test, { server, probe }: Watched, lines: readonly string[]): Promise<Flooding> {
  const before = ownBytesOf(server.pid);
  let most = before;
  let answers: readonly (RawResponse | null)[] = [];
  const timer = setInterval(() => {
    most = Math.max(most, ownBytesOf(server.pid));
  }, 5);
  const window = await probe.during(async () => {
    const opened = await Promise.all(lines.map(() => openRawConnection(t, server.port)));
    answers = await Promise.all(
      opened.map((connection, index) => sendChunks(connection, lines[index] ?? '')),
    );
  });
  clearInterval(timer);
  const growthBytes = most - before;
  const statuses = answers.map((answer) => answer?.status ?? 'closed').join(', ');
  const memory = `${inMegabytes(before)} MB before, ${inMegabytes(most)} MB at most`;
  return { answers, growthBytes, shown: `${statuses}; ${memory}; ${describe(window)}` };
}

/** @returns the answer; null if the service closed without one */
async function sendChunks(connection: RawConnection, line: string): Promise<RawResponse | null> {
  connection.write(`${line}Transfer-Encoding: chunked\r\n\r\n`);
  for (let sent = 0; sent < chunksEach && !connection.isClosed(); sent += 10_000) {
    await connection.written(piece);
  }
  connection.write('0\r\n\r\n');
  return connection.response();
}

t.test('chunks of a byte take no more memory than their bytes', async (t) => {
  const besieged = await besiegeAndWatch(t, {
    BURGEE_WORKERS: '1',
    BURGEE_FAILED_AUTHENTICATION_LIMIT: '1000',
  });
  const calm = await besieged.probe.during(() => setTimeout(500));
  t.comment(`calm: ${describe(calm)}`);
  const post = 'POST /api/v1/flags HTTP/1.1\r\nHost: localhost\r\n';
  const attackers = {
    'without a token': post,
    'of a token that does not exist': `${post}Authorization: Bearer burgee_${'x'.repeat(49)}\r\n`,
    'of a signed-out console':
      'POST /console/api/projects HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nX-Burgee-Console: 1\r\n',
    'of a token that may write': `${post}Authorization: Bearer ${besieged.token}\r\n`,
  };
  for (const [who, line] of Object.entries(attackers)) {
    const { answers, growthBytes, shown } = await flood(t, besieged, Array(connections).fill(line));
    t.comment(`chunks ${who}: ${shown}`);
    t.ok(growthBytes < growthMaxBytes, `chunks ${who}: memory grew by ${inMegabytes(growthBytes)} MB`);
    const expected = who === 'of a token that may write' ? 400 : 401;
    for (const answer of answers) t.equal(answer?.status, expected, `chunks ${who} are answered`);
  }
});

t.test('no route reads on when a body comes in too many chunks, refused or not', async (t) => {
  const { server, project } = await besiege(t, { BURGEE_WORKERS: '1' });
  const console = 'Host: localhost\r\nSec-Fetch-Site: same-origin\r\nX-Burgee-Console: 1\r\n';
  const [small, tooLong] = [piece, `4100\r\n${'a'.repeat(0x4100)}\r\n`];
  const ofrep = `POST /projects/${project}/ofrep/v1/evaluate/flags HTTP/1.1\r\nHost: localhost\r\n`;
  const signIn = `POST /console/api/session HTTP/1.1\r\n${console}`;
  const cases = [
    { name: 'a sign-in', head: signIn, begin: small, expected: 400 },
    { name: 'a sign-in that is too long', head: signIn, begin: tooLong, expected: 413 },
    { name: 'evaluations by OFREP', head: ofrep, begin: small, expected: 400 },
  ];
  for (const { name, head, begin, expected } of cases) {
    const connection = await openRawConnection(t, server.port);
    connection.write(`${head}Transfer-Encoding: chunked\r\n\r\n${begin}`);
    let sent = 0;
    const sending = (async () => {
      for (; !connection.isClosed() && sent < takenMax; sent += piece.length) {
        await connection.written(piece);
        // A socket that was reset takes bytes at once, and is closed in another turn of the event loop.
        await setImmediate();
      }
    })();
    t.equal((await connection.response())?.status, expected, name);
    await connection.closed;
    await sending;
    t.ok(sent < takenMax, `${name}: ${inMegabytes(sent)} MB were taken`);
  }
});
