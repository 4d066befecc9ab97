import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import type { BootedServer } from '../support/booted-server.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { expect } from '../support/expectations.ts';
import { openRawConnection, type RawConnection } from '../support/raw-request.ts';
import { besiege, get, withBody } from './robustness-fixture.ts';

/*
 * Thousands of requests at once reach what uWebSockets.js does when its buffer for one write is full.
 *
 * uWebSockets.js hands over the next request of a buffer also when the answer to a body has closed the connection. An
 * answer to that request would be written to memory that is freed: by the body's deadline at the latest.
 */
t.setTimeout(120_000);

const deadlineMs = 1000;
/** glibc overwrites what is freed, so that its use ends the process. Another C library ignores this. */
const settings = {
  MALLOC_PERTURB_: '85',
  BURGEE_WORKERS: '1',
  BURGEE_REQUEST_DEADLINE_MS: String(deadlineMs),
};
const clients = 20;
/** More than a turn of the event loop may have, and more answers than the library gathers for one write. */
const requestsEach = 3000;

/** Sends many requests at once on each of many connections, none of which reads an answer. */
async function sendAtOnce(t: Test, { port }: BootedServer, request: string): Promise<void> {
  const bytes = request.repeat(requestsEach);
  const send = async (): Promise<RawConnection> => {
    const connection = await openRawConnection(t, port);
    connection.pause();
    await connection.written(bytes);
    return connection;
  };
  for (const connection of await Promise.all(Array.from({ length: clients }, send))) connection.destroy();
}

/** Waits until every body that was begun before has had its deadline. */
async function passDeadline(t: Test, { port }: BootedServer, flag: string): Promise<void> {
  const connection = await openRawConnection(t, port);
  const { head } = splitBody(evaluation(flag));
  connection.write(head);
  const answer = await connection.response();
  expect(answer?.status === 400, `a body that does not come: ${answer?.body}`);
  connection.destroy();
}

const evaluation = (flag: string, ...headers: string[]): string =>
  withBody(`POST /ofrep/v1/evaluate/flags/${flag}`, '{"context":{"targetingKey":"a"}}', ...headers);

function splitBody(request: string): { readonly head: string; readonly body: string } {
  const at = request.indexOf('\r\n\r\n') + 4;
  return { head: request.slice(0, at), body: request.slice(at) };
}

const kinds = [
  { name: 'bodies', headers: [] },
  { name: 'bodies whose clients end the connection', headers: ['Connection: close'] },
  // Five bytes, as many as `close` has, and four characters.
  { name: 'bodies with an odd header', headers: ['Connection: célo'] },
];

for (const { name, headers } of kinds) {
  t.test(`${name}, thousands at once, end no process`, async (t) => {
    const { server, flag, project, token } = await besiege(t, settings);
    const authorization = `Authorization: Bearer ${token}`;
    const fromTheConsole = ['Sec-Fetch-Site: same-origin', 'X-Burgee-Console: 1'];
    const requests = [
      evaluation(flag, ...headers),
      withBody(`POST /projects/${project}/ofrep/v1/evaluate/flags`, '{}', ...headers),
      withBody(`PATCH /api/v1/flags/${flag}`, '{"enabled":true}', authorization, ...headers),
      withBody('POST /console/api/session', '{}', ...fromTheConsole, ...headers),
      withBody('POST /nothing', '{}', ...headers),
    ];
    for (const request of requests) await sendAtOnce(t, server, request);
    await passDeadline(t, server, flag);
    // A service that was ended by a signal would not stop in order.
    await server.stop();
  });
}

t.test('a client that ends its connection with a request has its answer, and then the end', async (t) => {
  const { server, flag, token } = await besiege(t, settings);
  const close = 'Connection: close';
  const change = withBody(
    `PATCH /api/v1/flags/${flag}`,
    '{"enabled":true}',
    `Authorization: Bearer ${token}`,
    close,
  );
  const requests = [evaluation(flag, close), change];
  for (const request of requests) {
    const { head, body } = splitBody(request);
    for (const pieces of [[request], [head, body]]) {
      const connection = await openRawConnection(t, server.port);
      for (const piece of pieces) await connection.written(piece);
      const answer = await connection.response();
      t.match(answer?.head, /^HTTP\/1\.1 200/, head);
      t.match(answer?.head, /\r\nconnection: close(\r\n|$)/i);
      await connection.closed;
    }
    const connection = await openRawConnection(t, server.port);
    connection.write(request + evaluation(flag));
    await connection.response();
    t.equal(await connection.response(), null, 'what it sends after its last request is not answered');
  }
  await server.stop();
});

/** Bytes that uWebSockets.js gathers for one write. */
const gatheredBytes = 16 * 1024;

const perl = debianPrograms('perl');

/** Sends both kinds of batches in turns, on ten connections one after the other, and reads nothing. */
const slowReader = `
use strict; use Socket;
my ($port, @batches) = @ARGV;
$SIG{PIPE} = 'IGNORE';
for my $attempt (1 .. 10) {
  socket(my $socket, PF_INET, SOCK_STREAM, 0) or exit 2;
  setsockopt($socket, SOL_SOCKET, SO_RCVBUF, 4096);
  setsockopt($socket, 6, 1, 1);
  connect($socket, sockaddr_in($port, inet_aton('127.0.0.1'))) or exit 3;
  for my $turn (0 .. 3000) {
    exit 4 if $turn == 3000;
    last unless defined syswrite($socket, $batches[$turn % 2]);
    select(undef, undef, undef, 0.002);
  }
  close($socket);
}`;

t.test('gathered answers that have no room in the socket end no process', { skip: perl.skip }, async (t) => {
  const { server, flag } = await besiege(t, settings);
  const [known, unknown] = [get(`/v1/flags/${flag}`), get('/v1/flags/none')];
  const sizeOf = async (request: string): Promise<{ readonly head: number; readonly whole: number }> => {
    const connection = await openRawConnection(t, server.port);
    connection.write(request);
    const { head = '', body = '' } = (await connection.response()) ?? {};
    connection.destroy();
    return { head: head.length + 4, whole: head.length + 4 + body.length };
  };
  const { head, whole } = await sizeOf(known);
  const short = (await sizeOf(unknown)).whole;
  // Answers of unknown flags come first, so many that the gathered bytes end within the body of a known flag's answer.
  const restAfter = (unknowns: number): number => (gatheredBytes - unknowns * short) % whole;
  const unknowns = [...Array(30).keys()].find((count) => restAfter(count) > head);
  if (unknowns === undefined) throw new Error('no mixture ends within a body');
  const gathered = known.repeat(Math.floor((gatheredBytes - 512) / whole));
  const within =
    unknown.repeat(unknowns) + known.repeat(Math.ceil((gatheredBytes - unknowns * short) / whole) + 3);
  // Node cannot make a receive buffer as small as what is gathered.
  const sender = spawn(pathOf(perl, 'perl'), ['-e', slowReader, String(server.port), gathered, within]);
  const [code] = await once(sender, 'exit');
  t.equal(code, 0, 'each connection is cut off, and the next one is accepted');
  await server.stop();
});
