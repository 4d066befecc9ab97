import t, { type Test } from 'tap';
import { bearer, type ClientRequest, createHttpClient, type HttpClient } from '../support/http-client.ts';
import {
  openRawConnection,
  type RawConnection,
  type RawResponse,
  rawRequest,
} from '../support/raw-request.ts';
import { assertAlive, type Besieged, besiege, get, nextAddress, withBody } from './robustness-fixture.ts';

/* Requests that end nowhere, or in two places. The service waits for most of them until a time limit. */
const bodyBytesMax = 1_048_576;
t.setTimeout(240_000);

t.test('requests without an end, and with two', async (t) => {
  const besieged = await besiege(t);
  const { server } = besieged;
  const client = createHttpClient(t, { port: server.port, localAddress: nextAddress() });
  // Each takes seconds, in which nothing but time-outs happens.
  await Promise.all(
    [conflictingLengths, looseChunks, stallMany].map((attack) => attack(t, besieged, client)),
  );
  await assertAlive(t, besieged);
  await server.stop();
  const grave = server.lines.filter((line) => /"level":(50|60)\b/.test(line));
  t.same(grave, [], 'no error was logged');
});

async function conflictingLengths(t: Test, besieged: Besieged, client: HttpClient): Promise<void> {
  const { server, flag, token } = besieged;
  const authorization = `Authorization: Bearer ${token}`;
  const smuggled = withBody(`PATCH /api/v1/flags/${flag}`, '{"enabled":false}', authorization);
  const head = `POST /api/v1/flags HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`;
  const chunked = `0\r\n\r\n${smuggled}`;
  const requests = [
    `${head}Content-Length: 2\r\nContent-Length: ${smuggled.length + 2}\r\n\r\n{}${smuggled}`,
    `${head}Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${head}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}`,
    `${head}Transfer-Encoding: xchunked\r\n\r\n${chunked}`,
    `${head}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`,
    `${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${chunked}`,
    `${head}Content-Length: -1\r\n\r\n${smuggled}`,
    `${head}Content-Length: +2\r\n\r\n{}${smuggled}`,
    `${head}Content-Length: 2, 2\r\n\r\n{}${smuggled}`,
    `${head}Content-Length: 0x2\r\n\r\n{}${smuggled}`,
    `${head}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${smuggled}`,
    `${head}Content-Length:\r\n\r\n${smuggled}`,
    `${head}Content-Length:\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `${head}Content-Length:\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${head}Transfer-Encoding:\r\n\r\n${smuggled}`,
    `${head}Transfer-Encoding:\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `${head}Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${head}Host: other\r\n\r\n${smuggled}`,
    `post${head.slice(4)}Content-Length: 2\r\n\r\n{}${smuggled}`,
    `PO{ST${head.slice(4)}Content-Length: 2\r\n\r\n{}${smuggled}`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}`,
  ];
  // Sends all at once, and then the smuggled part after the first answer.
  const ways = requests.flatMap((request) =>
    request.endsWith(smuggled) ? [[request], [request.slice(0, -smuggled.length), smuggled]] : [[request]],
  );
  await Promise.all(
    ways.map(async (pieces) => {
      const connection = await openRawConnection(t, server.port, nextAddress());
      const shown = JSON.stringify(pieces.join('').slice(head.length, head.length + 70));
      const [answer] = await answersTo(connection, pieces);
      t.ok(answer !== undefined || connection.isClosed(), `${shown} is answered or closed`);
      if (answer !== undefined)
        t.ok(answer.status >= 400 && answer.status < 500, `${shown}: ${answer.status}`);
      await assertOver(t, connection, shown);
    }),
  );
  await assertNothingSmuggled(t, client, patchOf(flag, token));
}

/** Writes each piece after the answer to the previous one. */
async function answersTo(connection: RawConnection, pieces: readonly string[]): Promise<RawResponse[]> {
  const answers: RawResponse[] = [];
  for (const piece of pieces) {
    connection.write(piece);
    const answer = await connection.response();
    if (answer !== null) answers.push(answer);
  }
  return answers;
}

async function assertOver(t: Test, connection: RawConnection, shown: string): Promise<void> {
  t.equal(await connection.response(), null, `${shown}: following requests are not answered`);
  t.ok(connection.isClosed(), `${shown}: the connection is closed`);
}

/** A smuggled request would have switched the flag off. */
async function assertNothingSmuggled(t: Test, client: HttpClient, patch: ClientRequest): Promise<void> {
  // A write takes its turn after any smuggled write, so the check comes after it.
  const { text } = await client.send({ ...patch, body: '{"trafficPercentage":100}' });
  t.match(JSON.parse(text), { changed: false, flag: { enabled: true } }, 'no request was smuggled');
}

/** uWebSockets.js parses these chunks leniently, and shows only their content. */
async function looseChunks(t: Test, { server, flag, token }: Besieged, client: HttpClient): Promise<void> {
  const authorization = `Authorization: Bearer ${token}`;
  const smuggled = withBody(`PATCH /api/v1/flags/${flag}`, '{"enabled":false}', authorization);
  const head = `PATCH /api/v1/flags/${flag} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const strange = head.replace(authorization, 'Authorization: Bearer x');
  const bodies = {
    'sound chunks': '2\r\n{}\r\n0\r\n\r\n',
    'no line end after the data': '2\r\n{}XX0\r\n\r\n',
    'no line end after the last chunk': '2\r\n{}\r\n0\r\nXX',
    'an invalid digit': '2\r\n{}\r\n0;\r\n\r\n',
    'a size that ends in LF': '2\n{}\r\n0\n\r\n',
    'text after a size': '2 bytes\r\n{}\r\n0\r\n\r\n',
    'a trailer': '2\r\n{}\r\n0\r\nX-Odd: 1\r\n\r\n',
  };
  const ways = Object.entries(bodies).flatMap(([why, body]) =>
    [head + body, strange + body].flatMap((request) => [
      { why, pieces: [request + smuggled] },
      { why, pieces: [request, smuggled] },
    ]),
  );
  await Promise.all(
    ways.map(async ({ why, pieces }) => {
      const connection = await openRawConnection(t, server.port, nextAddress());
      const isOurs = pieces[0]?.startsWith(head);
      const shown = `${why}, ${isOurs ? 'a token' : 'no token'}, ${pieces.length} pieces`;
      const [first, ...others] = await answersTo(connection, pieces);
      t.ok(
        others.every(({ status, head }) => status === 400 && !/burgee|x-request-id/i.test(head)),
        `${shown}: only the library may complain about the following bytes`,
      );
      if (why === 'sound chunks' && pieces.length === 2) {
        t.equal(first?.status, isOurs ? 400 : 401, `${shown}: the request is answered`);
      }
      await assertOver(t, connection, shown);
    }),
  );
  await assertNothingSmuggled(t, client, patchOf(flag, token));
}

function patchOf(flag: string, token: string): ClientRequest {
  return { method: 'PATCH', path: `/api/v1/flags/${flag}`, headers: bearer(token) };
}

/** uWebSockets.js closes a connection without a complete head after about 10 s; later releases after about 30 s. */
const idleTimeMaxMs = 40_000;

/** All at once, because each lasts until a time limit of the service, which then answers or closes. */
/** Bodies and headers that stop half-way. */
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
