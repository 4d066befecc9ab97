import { expect } from '../../support/expectations.ts';
import { openRawConnection, type RawResponse } from '../../support/raw-request.ts';
import { getRequest, patchRequest, WireConnection } from '../wire-connection.ts';
import { cutAtRandom, writePieces } from './fragments.ts';
import type { HostileStage } from './hostile-stage.ts';
import { malformedRequests } from './malformed-requests.ts';

const atOnce = 20;
const malformedMin = 60;
let addressesGiven = 0;

/** A new client address for each request, so that failed authentications of one do not limit the next. */
function nextAddress(): string {
  addressesGiven += 1;
  return `127.${101 + ((addressesGiven >> 15) & 31)}.${(addressesGiven >> 7) & 255}.${1 + (addressesGiven & 127)}`;
}

/**
 * Sends requests in pieces: a malformed one gets no 500 and changes nothing, a valid one gets the same answer as when
 * sent at once.
 */
export async function fragmentRequests(stage: HostileStage): Promise<number> {
  const { context, project } = stage;
  const [flag = ''] = project.flags;
  const before = await listedFlags(stage);
  const malformed = malformedRequests({ flag, secret: project.secret });
  expect(malformed.length >= malformedMin, `there are only ${malformed.length} malformed requests`);
  const trials: (() => Promise<void>)[] = [];
  for (const request of malformed) {
    trials.push(() => tryMalformed(stage, request, [request]));
    for (let cut = 1; cut <= context.count; cut += 1) {
      const pieces = cutAtRandom(request, context.random);
      trials.push(() => tryMalformed(stage, request, pieces));
    }
  }
  for (const request of validRequests(flag, project.secret)) {
    const whole = await sendPieces(stage, [request], false);
    expect(whole !== null && whole.status === 200, `${shown(request)}: ${whole?.status}`);
    for (let cut = 1; cut <= context.count * 5; cut += 1) {
      const pieces = cutAtRandom(request, context.random);
      trials.push(() => tryValid(stage, request, pieces, whole));
    }
  }
  await runAll(trials);
  const after = await listedFlags(stage);
  expect(after === before, `malformed requests, or some that change nothing, changed ${before}\nto ${after}`);
  context.note(`${malformed.length} malformed requests, each whole and at ${context.count} fragmentations`);
  return trials.length;
}

/** With the time of each flag's last change, which shows a flag that was switched twice. */
async function listedFlags({ server, project }: HostileStage): Promise<string> {
  const connection = await WireConnection.open(server.port);
  const { status, body } = await connection.ask(getRequest('/api/v1/flags', project.secret));
  connection.destroy();
  expect(status === 200, `the list of flags: ${status} ${body}`);
  return body;
}

async function runAll(trials: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...trials];
  const work = async (): Promise<void> => {
    for (let trial = waiting.pop(); trial !== undefined; trial = waiting.pop()) await trial();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function tryMalformed(stage: HostileStage, request: Buffer, pieces: readonly Buffer[]): Promise<void> {
  const answer = await sendPieces(stage, pieces, true);
  if (answer === null) return;
  const isFine = answer.status !== 500 && answer.status > 0;
  expect(isFine, `${shown(request)} in ${pieces.map(({ length }) => length)} bytes: ${answer.status}`);
}

async function tryValid(
  stage: HostileStage,
  request: Buffer,
  pieces: readonly Buffer[],
  whole: RawResponse | null,
): Promise<void> {
  const answer = await sendPieces(stage, pieces, false);
  if (answer?.status === 505 && isVersionCut(pieces)) return;
  const isSame = answer?.status === whole?.status && answer?.body.toString() === whole?.body.toString();
  const cuts = pieces.map(({ length }) => length).join(', ');
  expect(isSame, `${shown(request)} in pieces of ${cuts} bytes: ${answer?.status} ${answer?.body}`);
}

/**
 * Whether a piece ends before the path or inside the version: this build of uWebSockets.js then answers 505 and closes
 * (docs/gotchas.md).
 */
function isVersionCut(pieces: readonly Buffer[]): boolean {
  const line =
    Buffer.concat([...pieces])
      .toString('latin1')
      .split('\n')[0] ?? '';
  const version = line.lastIndexOf(' ');
  let end = 0;
  return pieces.some((piece) => {
    end += piece.length;
    return end === line.indexOf(' ') + 1 || (end > version && end <= line.length);
  });
}

/** @returns the first answer, or null when the service closed the connection. @throws when it did neither */
async function sendPieces(
  stage: HostileStage,
  pieces: readonly Buffer[],
  isHalfClosed: boolean,
): Promise<RawResponse | null> {
  const connection = await openRawConnection(stage, stage.server.port, nextAddress());
  await writePieces(connection, pieces);
  if (isHalfClosed) connection.end();
  const answer = await connection.response();
  const isOver = answer !== null || connection.isClosed();
  connection.destroy();
  expect(isOver, `${shown(Buffer.concat([...pieces]))} was neither answered nor closed`);
  return answer;
}

/** Valid requests whose answers are always the same. */
function validRequests(flag: string, secret: string): Buffer[] {
  const chunked = `PATCH /api/v1/flags/${flag} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  return [
    getRequest(`/v1/flags/${flag}?targetingKey=someone&cohort=a%20b`),
    getRequest(`/api/v1/flags/${flag}`, secret),
    getRequest('/api/v1/flags', secret),
    patchRequest(`/api/v1/flags/${flag}`, secret, { enabled: true }),
    `${chunked}9\r\n{"enabled\r\n7\r\n":true}\r\n0\r\n\r\n`,
    getRequest('/health'),
  ].map((text) => Buffer.from(text));
}

function shown(request: Buffer): string {
  return JSON.stringify(request.toString('latin1').slice(0, 80));
}
