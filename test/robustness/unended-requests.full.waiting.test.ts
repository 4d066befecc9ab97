import t, { type Test } from 'tap';
import { openRawConnection, rawRequest } from '../support/raw-request.ts';
import { assertAlive, type Besieged, besiege, get, nextAddress } from './robustness-fixture.ts';

/* Requests that end nowhere. The service waits for them until a time limit. Requests with two ends: campaign `framing`. */
const bodyBytesMax = 1_048_576;
t.setTimeout(240_000);

t.test('requests without an end', async (t) => {
  const besieged = await besiege(t);
  const { server } = besieged;
  await stallMany(t, besieged);
  await assertAlive(t, besieged);
  await server.stop();
  const grave = server.lines.filter((line) => /"level":(50|60)\b/.test(line));
  t.same(grave, [], 'no error was logged');
});

/** uWebSockets.js closes a connection without a complete head after about 10 s; later releases after about 30 s. */
const idleTimeMaxMs = 40_000;

/** Bodies and headers that stop half-way: all at once, because each lasts until a time limit of the service. */
async function stallMany(t: Test, besieged: Besieged): Promise<void> {
  const { server, token } = besieged;
  const head = `POST /api/v1/flags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
  const stalls = [
    ['half a body', `${head}Content-Length: 100\r\n\r\n{"name":`],
    ['half a large body', `${head}Content-Length: ${bodyBytesMax}\r\n\r\n{"name":${' '.repeat(500_000)}`],
    ['no byte of a body', `${head}Content-Length: 100\r\n\r\n`],
    ['half a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n20\r\n{"name":`],
    ['chunks without an end', `${head}Transfer-Encoding: chunked\r\n\r\n8\r\n{"name":\r\n`],
    ['half a header', 'GET /api/v1/token HTTP/1.1\r\nHost: loc'],
    ['no Host', 'GET /health HTTP/1.1\r\n\r\n'],
    ['nothing at all', ''],
  ] as const;
  const ends = stalls.map(([name, bytes]) => expectEnd(t, besieged, name, bytes));
  await Promise.all([...ends, trickle(t, besieged, head)]);
  t.equal((await rawRequest(t, server.port, get('/health')))?.status, 200);
}

async function expectEnd(t: Test, { server }: Besieged, name: string, bytes: string): Promise<void> {
  const connection = await openRawConnection(t, server.port, nextAddress());
  if (bytes !== '') connection.write(bytes);
  const answer = await connection.response(idleTimeMaxMs);
  t.ok(answer !== null || connection.isClosed(), `${name} is answered or closed`);
  if (answer !== null) t.ok([400, 408].includes(answer.status), `${name}: ${answer.status}`);
  connection.destroy();
}

/** Sends one byte after another, slowly: the body is cut off although bytes keep coming. */
async function trickle(t: Test, { server }: Besieged, head: string): Promise<void> {
  const connection = await openRawConnection(t, server.port, nextAddress());
  connection.write(`${head}Content-Length: 10000\r\n\r\n`);
  const timer = setInterval(() => connection.write(' '), 100);
  t.teardown(() => clearInterval(timer));
  const answer = await connection.response();
  clearInterval(timer);
  t.ok(answer !== null || connection.isClosed(), 'a trickle is answered or closed');
  if (answer !== null) t.equal(answer.status, 408, 'a trickle');
  connection.destroy();
}
