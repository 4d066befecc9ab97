import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { eventually, expect, percentileOf } from '../support/expectations.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import {
  openRawConnection,
  type RawConnection,
  type RawResponse,
  rawRequest,
} from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Campaign, CampaignContext } from './campaign.ts';
import { type CampaignProject, provisionProject } from './campaign-project.ts';
import { inMegabytes, openFilesOf, ownBytesOf } from './resources.ts';
import { SteadyLoad } from './steady-load.ts';
import { getRequest, patchRequest, WireConnection } from './wire-connection.ts';

/** A server under a normal load, for hostile clients. */
interface HostileStage extends Lifetime {
  readonly project: CampaignProject;
  readonly server: BootedServer;
  readonly load: SteadyLoad;
  readonly context: CampaignContext;
}

/** @returns how many attempts were made. @throws on a violation */
type HostileStep = (stage: HostileStage) => Promise<number>;

const idleConnections = { full: 10_000, sample: 1000 };
const openingAtOnce = 200;
const p99RatioMax = 1.2;
/** Shorter than the service's time limit for a silent connection, which is about 10 s. */
const measuredMs = 5000;
const rounds = 3;
/** A p99 of fewer is no p99. */
const answersMin = 100;
/** How long a sample, which runs with other tests, waits for them: the silent connections must be open still. */
const answersWithinMs = 8000;
/** Pause after many connections were opened or closed. */
const settleMs = 500;

/** Many silent connections delay no other client. */
async function holdIdleConnections(stage: HostileStage): Promise<number> {
  const { load, context, server } = stage;
  const wanted = context.isFull ? idleConnections.full : idleConnections.sample;
  const ratios: number[] = [];
  for (let round = 1; round <= (context.isFull ? rounds : 1); round += 1) {
    const alone = await measureP99(load, context.isFull ? measuredMs : 1000);
    const sockets = await openIdle(server.port, wanted);
    const held = openFilesOf(server.pid);
    expect(held >= wanted, `the service holds ${held} descriptors, not ${wanted}`);
    const beside = await measureP99(load, context.isFull ? measuredMs : 1000);
    for (const socket of sockets) socket.destroy();
    ratios.push(beside / alone);
    context.note(`p99 ${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms with ${wanted} idle connections`);
  }
  const best = Math.min(...ratios);
  if (context.isFull)
    expect(best <= p99RatioMax, `p99 with idle connections is ${best.toFixed(2)} times as high`);
  return wanted;
}

async function measureP99(load: HostileStage['load'], durationMs: number): Promise<number> {
  await setTimeout(settleMs);
  load.durationsMs.length = 0;
  await setTimeout(durationMs);
  const isEnough = (): boolean => load.durationsMs.length > answersMin;
  await eventually(isEnough, answersWithinMs - durationMs, 'the normal load continues');
  return percentileOf(load.durationsMs, 99);
}

async function openIdle(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Math.min(openingAtOnce, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => openOne(port)))));
  }
  return sockets;
}

function openOne(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(socket));
    socket.on('error', reject);
  });
}

const spare = 40;
const extra = 100;
/** Shorter than the service's time limit for a silent connection. */
const exhaustedMs = 1500;
const releasedWithinMs = 2000;
/** Time limit for a connection that waited in the listener's queue for a descriptor. */
const laterAnswerMs = 5000;

/**
 * Uses up the descriptors, by lowering the limit after the service has read it. Connected clients are served, and new
 * ones are once descriptors are free again.
 */
async function descriptorsRunOut(stage: HostileStage): Promise<number> {
  const { server, load, project, context } = stage;
  const rounds = context.isFull ? 5 : 2;
  await setTimeout(200);
  for (let round = 1; round <= rounds; round += 1) {
    const changer = await WireConnection.open(server.port);
    const limit = openFilesOf(server.pid) + spare;
    setLimit(server.pid, limit);
    const sockets = Array.from({ length: spare + extra }, () => openQuietly(server.port));
    await eventually(
      () => openFilesOf(server.pid) >= limit - 1,
      laterAnswerMs,
      'the descriptors did not run out',
    );
    load.restart();
    await setTimeout(exhaustedMs);
    const { answered, slowestMs } = load.tally;
    expect(answered > 0, 'connected clients are not served without descriptors');
    context.note(`without descriptors ${answered} were answered, the slowest in ${Math.round(slowestMs)} ms`);
    await expectChange(changer, stage);
    changer.destroy();
    for (const socket of sockets) socket.destroy();
    const opened = performance.now();
    const connection = await WireConnection.open(server.port);
    const answer = await connection.ask(getRequest(`/v1/flags/${project.flags[0]}`));
    const tookMs = performance.now() - opened;
    connection.destroy();
    expect(answer.status === 200, `after the descriptors were released: ${answer.status}`);
    expect(tookMs < releasedWithinMs, `the first new connection waited ${Math.round(tookMs)} ms`);
    await eventually(
      () => openFilesOf(server.pid) < limit - spare / 2,
      laterAnswerMs,
      'descriptors are not released',
    );
  }
  return rounds;
}

/** A change on an open connection needs no further descriptor. */
async function expectChange(connection: WireConnection, { project }: HostileStage): Promise<void> {
  const path = `/api/v1/flags/${project.flags[0]}`;
  const { status, body } = await connection.ask(patchRequest(path, project.secret, { enabled: true }));
  expect(status === 200, `a change without descriptors: ${status} ${body}`);
}

function setLimit(pid: number, limit: number): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`], {
    encoding: 'utf8',
  });
  expect(status === 0, `prlimit: ${stderr}`);
}

function openQuietly(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => socket.destroy());
  return socket;
}

const slowConnections = { full: 1000, sample: 200 };
const attackSeconds = { full: 30, sample: 5 };
const ownSockets = 40;
const dripMs = 100;
/** The service closes incomplete requests: idle and slow ones after some 10 s, a slow body at its deadline. */
const patienceMs = 20_000;

/** Headers and bodies that arrive byte by byte are cut off, and delay no other client. */
async function sendSlowly(stage: HostileStage): Promise<number> {
  const { server, context, load } = stage;
  // The normal load's connections are open by then.
  await eventually(() => load.tally.answered > 100, patienceMs, 'the normal load does not begin');
  const before = openFilesOf(server.pid);
  load.restart();
  const drips = dripMany(stage);
  const send = async (mode: string): Promise<void> => {
    await runSlowHttpTest(stage, [mode]);
    expect(load.tally.answered > 0, 'the normal load continues');
  };
  const modes = ['-H', '-B'];
  if (context.isFull) for (const mode of modes) await send(mode);
  else await Promise.all(modes.map(send));
  await drips;
  const isReleased = (): boolean => openFilesOf(server.pid) <= before + 2;
  const message = `of slow connections more than ${before} descriptors are left`;
  await eventually(isReleased, patienceMs, message);
  const slowestMs = Math.round(load.tally.slowestMs);
  context.note(`with slow senders the slowest of ${load.tally.answered} answers took ${slowestMs} ms`);
  return (context.isFull ? slowConnections.full : slowConnections.sample) * 2 + ownSockets;
}

async function runSlowHttpTest(
  { server, context, project }: HostileStage,
  mode: readonly string[],
): Promise<void> {
  const size = context.isFull ? 'full' : 'sample';
  const url = `http://127.0.0.1:${server.port}/api/v1/flags/${project.flags[0]}`;
  const count = ['-c', `${slowConnections[size]}`, '-r', '400', '-l', `${attackSeconds[size]}`];
  const arguments_ = [...mode, ...count, '-i', '1', '-x', '8', '-p', '3', '-u', url];
  const child = spawn('slowhttptest', arguments_, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text.toString('latin1');
  });
  await once(child, 'close');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the program's output has colours
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '');
  const available = [...plain.matchAll(/service available: *(YES|NO)/g)].map(([, answer]) => answer);
  expect(available.length > 0, `slowhttptest ${mode.join(' ')} says nothing: ${plain.slice(-400)}`);
  expect(!available.includes('NO'), `slowhttptest ${mode.join(' ')} found the service unavailable`);
}

/** The test's own sockets, with requests that slowhttptest does not send. */
async function dripMany(stage: HostileStage): Promise<void> {
  await Promise.all(Array.from({ length: ownSockets }, (_, index) => dripOne(stage, index)));
}

async function dripOne(stage: HostileStage, index: number): Promise<void> {
  const { server, project } = stage;
  const head = `POST /api/v1/flags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${project.secret}\r\n`;
  const text = index % 2 === 0 ? `${head}Content-Length: 50000\r\n\r\n` : `${head}X-Slow: `;
  const connection = await openRawConnection(stage, server.port);
  connection.write(text);
  const startedAt = performance.now();
  while (!connection.isClosed() && performance.now() - startedAt < patienceMs) {
    connection.write(' ');
    if ((await connection.response(dripMs)) !== null) break;
  }
  const tookMs = performance.now() - startedAt;
  connection.destroy();
  expect(tookMs < patienceMs, `a dripping connection was kept for ${Math.round(tookMs)} ms`);
}

const unreadClients = { full: 400, sample: 120 };
/** Six flags of almost a megabyte: their list does not fit the sockets' buffers. */
const longFlags = 6;
const longCohorts = Array.from({ length: 4000 }, (_, index) => String(index).padStart(250, 'c'));
/** The limit of memory for unread answers and for making them. */
const growthMaxBytes = 384 * 1024 * 1024;
/** Shorter than the service's time limit for a client that reads nothing. */
const readsNothingMs = 8000;
const lookIntervalMs = 100;
/** The worker makes earlier answers first: their number bounds how long that takes. */
const servedAgainWithinMs = 30_000;

/** Unread long answers take bounded memory; beyond the bound the next request gets a 503. */
async function leaveAnswersUnread(stage: HostileStage): Promise<number> {
  const { context } = stage;
  const project = await provisionProject(stage, {
    flags: longFlags,
    state: { enabled: true, cohorts: longCohorts },
  });
  const server = await bootServer(stage, { dataDir: project.dataDir, settings: unlimited });
  const request = getRequest('/api/v1/flags', project.secret);
  expect((await statusOf(server.port, request)) === 200, 'a client that reads gets its answer');
  const before = ownBytesOf(server.pid);
  const wanted = context.isFull ? unreadClients.full : unreadClients.sample;
  const opened: RawConnection[] = [];
  for (let client = 1; client <= wanted; client += 1) {
    const connection = await openRawConnection(stage, server.port);
    connection.pause();
    connection.write(request);
    opened.push(connection);
  }
  let grown = 0;
  for (let waitedMs = 0; waitedMs < readsNothingMs; waitedMs += lookIntervalMs) {
    await setTimeout(lookIntervalMs);
    grown = Math.max(grown, ownBytesOf(server.pid) - before);
  }
  context.note(`${wanted} clients that read nothing: ${inMegabytes(grown)} MB more`);
  expect(grown < growthMaxBytes, `unread answers take ${inMegabytes(grown)} MB`);
  for (const connection of opened) connection.destroy();
  const givesUpAt = performance.now() + servedAgainWithinMs;
  for (let status = 0; status !== 200; ) {
    status = await statusOf(server.port, request);
    const isInTime = status === 200 || performance.now() < givesUpAt;
    expect(isInTime, `a client that reads gets ${status} after the others are gone`);
  }
  await server.stop();
  return wanted;
}

/** On a new connection, because the service closes one that is silent for as long as the others take. */
async function statusOf(port: number, request: string): Promise<number> {
  const connection = await WireConnection.open(port);
  const { status } = await connection.ask(request);
  connection.destroy();
  return status;
}

const fragmentsMax = 8;

/** Cuts bytes at random places, few or many, and sometimes within a line's end. */
function cutAtRandom(bytes: Buffer, random: Random): Buffer[] {
  const cuts = new Set<number>();
  const wanted = random.integer(1, Math.min(fragmentsMax, bytes.length - 1));
  for (let attempt = 0; attempt < wanted; attempt += 1) cuts.add(random.integer(1, bytes.length - 1));
  const lineEnd = bytes.indexOf('\r\n');
  if (lineEnd >= 0 && lineEnd + 1 < bytes.length && random.chance(0.5)) cuts.add(lineEnd + 1);
  const places = [0, ...[...cuts].sort((left, right) => left - right), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

/** Writes one piece after another, each in its own event-loop turn at least. */
async function writePieces(connection: RawConnection, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    connection.write(piece);
    await setImmediate();
    await setImmediate();
  }
}

/** Malformed requests as bytes: none may be carried out, or answered with a 500. */
interface RequestTargets {
  readonly flag: string;
  readonly secret: string;
}

/** @returns some seventy requests. A smuggled one would switch the flag off. */
function malformedRequests({ flag, secret }: RequestTargets): readonly Buffer[] {
  const path = `/v1/flags/${flag}`;
  const host = 'Host: localhost\r\n';
  const authorization = `Authorization: Bearer ${secret}\r\n`;
  const off = '{"enabled":false}';
  const smuggled = `PATCH /api/v1/flags/${flag} HTTP/1.1\r\n${host}${authorization}Content-Length: ${off.length}\r\n\r\n${off}`;
  const post = `POST /api/v1/flags HTTP/1.1\r\n${host}${authorization}`;
  const chunked = `0\r\n\r\n${smuggled}`;
  return [
    ...badRequestLines(path, host),
    ...badHeaders(path, host, authorization),
    ...badLengths(post, smuggled, chunked),
    ...badBodies(post),
    ...noHttp(),
  ].map((request) => (typeof request === 'string' ? Buffer.from(request, 'latin1') : request));
}

type Raw = string | Buffer;

function badRequestLines(path: string, host: string): Raw[] {
  const lines = [
    `GET ${path} HTTP/1.0`,
    `GET ${path} HTTP/2.0`,
    `GET ${path} HTTP/9.9`,
    `GET ${path} HTTP/1`,
    `GET ${path} HTTX/1.1`,
    `GET ${path} http/1.1`,
    `GET ${path}`,
    `GET  ${path} HTTP/1.1`,
    `GET ${path}  HTTP/1.1`,
    `GET\t${path}\tHTTP/1.1`,
    `GET ${path}?a=b c HTTP/1.1`,
    `GET ${path}?cohort=\u0000 HTTP/1.1`,
    `GET ${path}?cohort=\u007f HTTP/1.1`,
    `GET ${path}?cohort=\u00e9 HTTP/1.1`,
    `GET ${path}?cohort=%zz HTTP/1.1`,
    `GET http://localhost${path} HTTP/1.1`,
    `GET * HTTP/1.1`,
    `GET ${path.slice(1)} HTTP/1.1`,
    `get ${path} HTTP/1.1`,
    `BREW ${path} HTTP/1.1`,
    `CONNECT localhost:80 HTTP/1.1`,
    ` GET ${path} HTTP/1.1`,
  ];
  return lines.map((line) => `${line}\r\n${host}\r\n`);
}

function badHeaders(path: string, host: string, authorization: string): Raw[] {
  const line = `GET ${path} HTTP/1.1\r\n`;
  return [
    `${line}\r\n`,
    `${line}Host: a\r\nHost: b\r\n\r\n`,
    `${line}${host}no colon\r\n\r\n`,
    `${line}${host}: no name\r\n\r\n`,
    `${line}${host}X: a\r\n folded\r\n\r\n`,
    `${line}${host}X : a\r\n\r\n`,
    `${line}${host}X\u0000Y: a\r\n\r\n`,
    `${line}${host}X: a\u0000b\r\n\r\n`,
    `${line}${host}X: a\rb\r\n\r\n`,
    `${line.replace('\r\n', '\n')}Host: localhost\n\n`,
    `${line}${host}${'X: y\r\n'.repeat(150)}\r\n`,
    `${line}${host}X: ${'x'.repeat(20_000)}\r\n\r\n`,
    `GET ${path}?a=${'b'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/token HTTP/1.1\r\n${host}${authorization}${authorization}\r\n`,
    `GET /api/v1/token HTTP/1.1\r\n${host}Authorization: Basic ${'Og'.repeat(8)}\r\n\r\n`,
  ];
}

function badLengths(post: string, smuggled: string, chunked: string): Raw[] {
  return [
    `${post}Content-Length: 2\r\nContent-Length: ${smuggled.length + 2}\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${chunked}`,
    `${post}Content-Length: -1\r\n\r\n${smuggled}`,
    `${post}Content-Length: +2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: 2, 2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: 0x2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length:\r\n\r\n${smuggled}`,
    `${post}Content-Length:\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `${post}Content-Length:\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding:\r\n\r\n${smuggled}`,
    `${post}Transfer-Encoding:\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `${post}Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${post}Host: other\r\n\r\n${smuggled}`,
    `post${post.slice(4)}Content-Length: 2\r\n\r\n{}${smuggled}`,
    `PO{ST${post.slice(4)}Content-Length: 2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: 1048577\r\n\r\n{}`,
    `${post}Content-Length: 99999999999999999999999\r\n\r\n{}`,
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}`,
    `${post}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`,
  ];
}

function badBodies(post: string): Raw[] {
  return ['{', '{"name":"x"}}', '{"name":"\u0000"}', '['.repeat(1000)].map(
    (body) => `${post}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function noHttp(): Raw[] {
  return [
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    Buffer.from('16030100a5010000a1030300000000', 'hex'),
    Buffer.alloc(4096, 0xff),
    '\r\n\r\n\r\n\r\n',
  ];
}

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
async function fragmentRequests(stage: HostileStage): Promise<number> {
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
 * (docs/contributing/gotchas.md).
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

const failuresMax = 20;
const attempts = failuresMax + 10;
const proxy = '127.0.0.9';
const stranger = '127.0.0.10';

/** Addresses claimed by an untrusted client have no effect; those from a declared proxy count. */
async function forgeAddresses(stage: HostileStage): Promise<number> {
  const { server } = stage;
  await expectLimited(stage, server.port, '127.0.0.11', forgedHeader);
  await expectLimited(stage, server.port, '127.0.0.12', proxyVersion2);
  await expectRefused(stage, server.port, '127.0.0.13', proxyVersion1);
  const warned = server.lines.filter((line) => line.includes('is not a trusted proxy'));
  expect(warned.length === 1, `${warned.length} warnings about forged addresses, not one a minute`);
  const trusting = await bootServer(stage, {
    dataDir: temporaryDirectory(stage),
    settings: { BURGEE_TRUSTED_PROXIES: proxy, BURGEE_FAILED_AUTHENTICATION_LIMIT: String(failuresMax) },
  });
  await expectLimited(stage, trusting.port, stranger, forgedHeader);
  const statuses = await statusesOf(stage, trusting.port, proxy, forgedHeader);
  expect(!statuses.includes(429), 'clients behind a declared proxy share one limit');
  await expectLimited(stage, trusting.port, proxy, (attempt) => [
    `GET /api/v1/token HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.9.9.${attempt}, 192.0.2.1\r\n\r\n`,
  ]);
  await trusting.stop();
  return attempts * 6;
}

type Forge = (attempt: number) => readonly (string | Buffer)[];

const forgedHeader: Forge = (attempt) => [
  `GET /api/v1/token HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 198.51.100.${attempt}\r\n\r\n`,
];

const proxyVersion1: Forge = (attempt) => [
  `PROXY TCP4 198.51.100.${attempt} 127.0.0.1 50000 80\r\n`,
  getRequest('/api/v1/token'),
];

const proxyVersion2: Forge = (attempt) => {
  const header = Buffer.from('0d0a0d0a000d0a515549540a2111000cc6336400c633640100500050', 'hex');
  header[19] = attempt;
  return [header, getRequest('/api/v1/token')];
};

async function statusesOf(
  stage: HostileStage,
  port: number,
  address: string,
  forge: Forge,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const bytes = Buffer.concat(forge(attempt).map((piece) => Buffer.from(piece)));
    statuses.push((await rawRequest(stage, port, bytes, address))?.status ?? 0);
  }
  return statuses;
}

/** Expects a closed connection, or answers that end in 429, because the socket's address counts. */
async function expectLimited(
  stage: HostileStage,
  port: number,
  address: string,
  forge: Forge,
): Promise<void> {
  const statuses = await statusesOf(stage, port, address, forge);
  const wasServed = statuses.some((status) => status === 401);
  expect(wasServed || forge !== forgedHeader, `a header that does not count: ${statuses.join()}`);
  expect(
    !wasServed || statuses.at(-1) === 429,
    `claimed addresses have limits of their own: ${statuses.join()}`,
  );
}

async function expectRefused(
  stage: HostileStage,
  port: number,
  address: string,
  forge: Forge,
): Promise<void> {
  const connection = await openRawConnection(stage, port, address);
  for (const piece of forge(1)) connection.write(piece);
  const answer = await connection.response();
  expect(answer === null || [400, 401, 505].includes(answer.status), `a PROXY line: ${answer?.status}`);
  connection.destroy();
}

type NamedStep = readonly [string, HostileStep];

const steps: readonly NamedStep[] = [
  ['idle connections', holdIdleConnections],
  ['descriptors', descriptorsRunOut],
  ['slow senders', sendSlowly],
  ['unread answers', leaveAnswersUnread],
  ['fragments', fragmentRequests],
  ['forged addresses', forgeAddresses],
];

/** Runs during a normal load, which must be answered all the time. */
async function playStep(name: string, play: HostileStep, context: CampaignContext): Promise<number> {
  return withLifetime(async ({ teardown }) => {
    const t = { teardown };
    const project = await provisionProject(t, { flags: 4 });
    const settings = {
      BURGEE_MANAGEMENT_RATE_LIMIT: '100000000',
      BURGEE_FAILED_AUTHENTICATION_LIMIT: '20',
      BURGEE_REQUEST_DEADLINE_MS: '2000',
    };
    const server = await bootServer(t, { dataDir: project.dataDir, settings });
    const load = SteadyLoad.start(t, {
      port: server.port,
      connections: 8,
      pauseMs: 4,
      keepsDurations: true,
      requestOf: (turn) => getRequest(`/v1/flags/${project.flags[turn % 4]}?targetingKey=${turn}`),
      isRight: ({ status, body }) => status === 200 && body.includes('"enabled":true'),
    });
    const stage: HostileStage = { teardown, project, server, load, context };
    const tried = await play(stage);
    await load.stop();
    const { wrong, unavailable, lost } = load.tally;
    expect(
      wrong.length + unavailable + lost === 0,
      `${name}: the normal load: ${JSON.stringify(load.tally)}`,
    );
    await judgeAlive(stage);
    await server.stop();
    const grave = server.lines.filter((line) => /"level":(50|60)\b/.test(line));
    expect(grave.length === 0, `${name}: the log has errors:\n${grave.slice(0, 3).join('\n')}`);
    return tried;
  });
}

/** Checks that no hostile request has changed anything. */
async function judgeAlive({ project, server }: HostileStage): Promise<void> {
  const connection = await WireConnection.open(server.port);
  for (const flag of project.flags) {
    const { status, body } = await connection.ask(getRequest(`/v1/flags/${flag}?targetingKey=1`));
    expect(status === 200 && body.includes('"enabled":true'), `afterwards: ${status} ${body}`);
  }
  connection.destroy();
}

/** Clients that idle, send slowly, forge addresses and use up resources. */
export const hostileClients: Campaign = {
  name: 'hostile-clients',
  summary:
    'idle, slow, malformed, fragmented and forging clients, and no descriptors left: other clients are answered all the time',
  sampleCount: 1,
  fullCount: 20,
  tools: ['slowhttptest', 'prlimit'],
  async run(context) {
    const counts: Record<string, number> = { fragmentations: context.count };
    const run = async ([name, play]: NamedStep): Promise<void> => {
      counts[name] = await playStep(name, play, context);
    };
    // Each has a server of its own, and a sample judges no ratio of times: so it runs them side by side.
    if (context.isFull) for (const step of steps) await run(step);
    else await Promise.all(steps.map(run));
    return counts;
  },
};
