import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { inMegabytes, ownBytesOf } from '../campaigns/resources.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { expect } from '../support/expectations.ts';
import { assertUndelayed, type ProbeWindow } from '../support/latency-probe.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { besiege, besiegeAndWatch, get, type Watched, withBody } from './robustness-fixture.ts';

/*
 * Clients send request after request and read no answer. The memory for their answers is bounded, they are cut off, and
 * other clients are answered meanwhile.
 */
t.setTimeout(120_000);

const delayMaxMs = 50;
/** Beside clients that this process feeds with hundreds of megabytes. */
const delayMaxBesideFloodsMs = 150;
const clients = 8;
/** The limit of memory for all of them together, beside each connection's own buffers in the library. */
const grownBytesMax = 100 * 1024 * 1024;
/** Requests of each client: many more than cause a gigabyte of answers, and more than the kernel buffers. */
const sentBytesMax = 64 * 1024 * 1024;
/** Another address than the probe's, because limits are per address. */
const floodFrom = '127.0.0.7';
const pieceBytes = 256 * 1024;
/** Longer than the service waits for a client that reads nothing. */
const cutWithinMs = 25_000;

/** Repeats a request until the connection is cut off. @returns whether it was */
function flood(socket: Socket, request: string): Promise<boolean> {
  const piece = Buffer.from(request.repeat(Math.ceil(pieceBytes / request.length)));
  return new Promise((resolve) => {
    const timer = globalThis.setTimeout(() => resolve(false), cutWithinMs).unref();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(true);
    });
    const send = (): void => {
      while (!socket.destroyed && socket.bytesWritten < sentBytesMax) if (!socket.write(piece)) return;
      socket.resume();
    };
    socket.pause();
    socket.on('drain', send);
    send();
  });
}

/** @returns by how many bytes the process grew while `work` ran; the work is aborted if that is far too much */
async function growthDuring(pid: number, work: Promise<unknown>, callOff: () => void): Promise<number> {
  const before = ownBytesOf(pid);
  let grown = 0;
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    grown = Math.max(grown, ownBytesOf(pid) - before);
    if (grown > 6 * grownBytesMax) callOff();
    await setTimeout(10);
  }
  await ended;
  return grown;
}

async function besiegeWith(
  t: Test,
  { server, probe }: Watched,
  calm: ProbeWindow,
  request: string,
): Promise<void> {
  const outcomes: { readonly cut: number; readonly grown: number }[] = [];
  await assertUndelayed(t, probe, calm, delayMaxBesideFloodsMs, async () => {
    outcomes.push(await floodAll(t, server, request));
  });
  for (const { cut, grown } of outcomes) {
    t.equal(cut, clients, 'each is cut off');
    t.ok(grown < grownBytesMax, `the process grew by ${inMegabytes(grown)} MB`);
  }
}

/** @returns how many clients were cut off, and by how many bytes the process grew */
async function floodAll(
  t: Test,
  server: BootedServer,
  request: string,
): Promise<{ readonly cut: number; readonly grown: number }> {
  const sockets = Array.from({ length: clients }, () =>
    connect({ port: server.port, host: '127.0.0.1', localAddress: floodFrom }),
  );
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  const floods = Promise.all(sockets.map((socket) => flood(socket, request)));
  const grown = await growthDuring(server.pid, floods, () => {
    for (const socket of sockets) socket.destroy();
  });
  return { cut: (await floods).filter(Boolean).length, grown };
}

/** @returns the path of the script that the console's page loads: longer than what is given whole */
async function largestScript({ port }: BootedServer): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const [, path = '/none'] =
    /<script [^>]*src="([^"]+)"/.exec(await (await fetch(`${url}/console/`)).text()) ?? [];
  const script = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'identity' } });
  expect((await script.text()).length > 128 * 1024, `${path} is a long file`);
  return path;
}

t.test('a client that sends requests of any kind and reads no answer is cut off', async (t) => {
  const besieged = await besiegeAndWatch(t);
  const calm = await besieged.probe.during(async () => undefined, 100);
  const flag = `/v1/flags/${besieged.flag}?targetingKey=a`;
  const authorization = `Authorization: Bearer ${besieged.token}`;
  const fromTheConsole = ['Sec-Fetch-Site: same-origin', 'X-Burgee-Console: 1'];
  const ofrep = `/projects/${besieged.project}/ofrep/v1/evaluate/flags`;
  const requests: readonly (readonly [string, string])[] = [
    ['a page of 60 KiB', get('/docs')],
    ['an evaluation', get(flag)],
    ['an evaluation that is refused', get('/v1/flags/none')],
    ['an evaluation by HEAD', get(flag).replace('GET', 'HEAD')],
    ['a page by HEAD', get('/docs').replace('GET', 'HEAD')],
    ['a redirect without a body', get('/')],
    ['a preflight', get(flag).replace('GET', 'OPTIONS')],
    ['a path that does not exist', get('/nothing')],
    ['a body for an unknown path', withBody('POST /nothing', 'x')],
    ['no token', get('/api/v1/flags')],
    ['a token', get('/api/v1/token', authorization)],
    ['a list', get('/api/v1/flags', authorization)],
    ['all flags of a project', get(`/v1/flags/project/${besieged.project}?targetingKey=a`)],
    [
      'an evaluation by OFREP',
      withBody(`POST ${ofrep}/${besieged.flag}`, '{"context":{"targetingKey":"a"}}'),
    ],
    ['all flags by OFREP', withBody(`POST ${ofrep}`, '{"context":{"targetingKey":"a"}}')],
    ['a configuration of sync', get(`/sync/v1/${besieged.project}`, authorization)],
    ['the page of the console', get('/console/')],
    ['a file of the console', get(await largestScript(besieged.server))],
    ['a change', withBody(`PATCH /api/v1/flags/${besieged.flag}`, '{"enabled":true}', authorization)],
    [
      'a sign-in',
      withBody('POST /console/api/session', '{"email":"a@b.example","password":"p"}', ...fromTheConsole),
    ],
  ];
  for (const [name, request] of requests) {
    await t.test(name, (t) => besiegeWith(t, besieged, calm, request));
  }
  await besieged.server.stop();
});

t.test('a client that sends a few requests at a time and reads no answer is cut off', async (t) => {
  const { server, flag, project } = await besiege(t);
  const body = '{"context":{"targetingKey":"a"}}';
  const requests = [
    get(`/v1/flags/${flag}?targetingKey=a`),
    withBody(`POST /projects/${project}/ofrep/v1/evaluate/flags/${flag}`, body),
  ];
  for (const request of requests) {
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: floodFrom });
    t.teardown(() => socket.destroy());
    let isCut = false;
    socket.on('error', () => undefined).on('close', () => (isCut = true));
    socket.pause();
    for (let sent = 0; !isCut && sent < 100_000; sent += 8) {
      socket.write(request.repeat(8));
      await setTimeout(1);
    }
    t.ok(isCut, request.slice(0, request.indexOf(' ')));
  }
  await server.stop();
});

t.test('clients with thousands of requests at once delay no other by more than 50 ms', async (t) => {
  const { server, flag, probe } = await besiegeAndWatch(t, { BURGEE_WORKERS: '1' });
  const calm = await probe.during(async () => undefined, 100);
  const request = get(`/v1/flags/${flag}?targetingKey=a`);
  const many = request.repeat(20_000);
  const statuses: number[] = [];
  await assertUndelayed(t, probe, calm, delayMaxMs, async () => {
    for (let count = 0; count < 10; count += 1) {
      const connection = await openRawConnection(t, server.port);
      connection.write(many);
      // The server closes while the test still writes, so a reset may overtake the answers.
      const answer = await connection.response();
      if (answer !== null) statuses.push(answer.status);
      await connection.closed;
    }
  });
  t.same([...new Set(statuses)], [200], `${statuses.length} of 10 connections saw an answer`);
  await server.stop();
});

t.test('many requests sent at once are all answered, over several connections', async (t) => {
  const { server, flag } = await besiege(t, { BURGEE_WORKERS: '1' });
  const request = get(`/v1/flags/${flag}?targetingKey=a`);
  const wanted = 5000;
  // Sends no more than the kernel buffers: a client that is still writing would see an error instead of the last
  // answers.
  const atOnce = 1000;
  let answered = 0;
  let connections = 0;
  for (; answered < wanted; connections += 1) {
    const connection = await openRawConnection(t, server.port);
    connection.write(request.repeat(Math.min(atOnce, wanted - answered)));
    const before = answered;
    for (let isLast = false; answered < wanted && !isLast; ) {
      const response = await connection.response();
      if (response === null) break;
      if (response.status !== 200 || !response.body.includes(flag)) t.fail(`not an answer: ${response.head}`);
      isLast = /\r\nconnection: close/i.test(response.head);
      answered += 1;
    }
    if (answered < wanted) await connection.closed;
    const isEnough = answered === wanted || answered >= before + 16;
    t.ok(isEnough, `${answered - before} answers on a connection`);
    connection.destroy();
  }
  t.ok(connections > 1, `${connections} connections`);
  await server.stop();
});

t.test('requests sent a few at a time, without waiting, are all answered', async (t) => {
  const { server, flag } = await besiege(t);
  const request = get(`/v1/flags/${flag}?targetingKey=a`);
  const connection = await openRawConnection(t, server.port);
  const heads = new Set<string>();
  for (let round = 0; round < 50; round += 1) {
    connection.write(request.repeat(16));
    for (let count = 0; count < 16; count += 1) {
      const response = await connection.response();
      heads.add(
        `${response?.status} ${/connection: close/i.test(response?.head ?? '') ? 'closes' : 'stays'}`,
      );
    }
  }
  t.same([...heads], ['200 stays']);
  await server.stop();
});
