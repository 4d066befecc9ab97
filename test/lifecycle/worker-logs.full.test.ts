import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import t, { type Test } from 'tap';
import { SteadyLoad } from '../campaigns/steady-load.ts';
import { getRequest } from '../campaigns/wire-connection.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { type Settings, spawnBurgee } from '../support/burgee-command.ts';
import { eventually } from '../support/expectations.ts';
import { provisionOne } from './lifecycle-fixture.ts';

/*
 * One thread writes the log of all workers: lines never interleave, and a stalled reader of the log blocks no worker.
 */
t.setTimeout(120_000);

const connections = 32;
/** Lines of 300 bytes each, together more than fit a pipe and the buffer for a slow reader. */
const requestsMin = 20_000;

function loadOf(t: Test, port: number, flag: string, secret: string): SteadyLoad {
  return SteadyLoad.start(t, {
    port,
    connections,
    pauseMs: 0,
    requestOf: () => getRequest(`/api/v1/flags/${flag}`, secret),
    isRight: ({ status }) => status === 200,
  });
}

t.test('lines of several workers are complete, and each request has one', async (t) => {
  const { dataDir, flag, secret } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: { ...unlimited, BURGEE_WORKERS: '3' } });
  const load = loadOf(t, server.port, flag, secret);
  await eventually(() => load.tally.answered > 3000, 30_000, 'too few requests are answered');
  const { answered, wrong } = await load.stop();
  t.same(wrong, []);
  await server.stop();
  const lines = server.lines.filter((line) => line.includes('"requestId"'));
  const ids = new Set(lines.map((line) => (JSON.parse(line) as { requestId: string }).requestId));
  t.equal(lines.length, answered, 'each line is one line of JSON');
  t.equal(ids.size, answered);
});

/** Loads a server whose log is not read, until it has logged more than is kept for a slow reader. */
async function bootUnread(t: Test, settings: Settings) {
  const { dataDir, flag, secret } = await provisionOne(t);
  const children: ChildProcessWithoutNullStreams[] = [];
  const server = await bootServer(t, {
    dataDir,
    settings: { ...unlimited, ...settings },
    spawn: (...given) => {
      const child = spawnBurgee(...given);
      children.push(child);
      return child;
    },
  });
  const [child] = children;
  child?.stdout.pause();
  const load = loadOf(t, server.port, flag, secret);
  await eventually(() => load.tally.answered > requestsMin, 60_000, 'no more answers come');
  return { server, child, tally: await load.stop() };
}

t.test('a stalled reader of the log blocks no worker', async (t) => {
  const { server, child, tally } = await bootUnread(t, { BURGEE_WORKERS: '2' });
  const { wrong, lost, unavailable, slowestMs } = tally;
  t.same({ wrong, lost, unavailable }, { wrong: [], lost: 0, unavailable: 0 });
  t.ok(slowestMs < 3000, `the slowest answer took ${Math.round(slowestMs)} ms`);
  child?.stdout.resume();
  await server.stop();
});

t.test('a server with a stalled reader of its log still ends in order', async (t) => {
  const { server, child } = await bootUnread(t, {});
  const exited = new Promise((resolve) => child?.once('exit', (code, signal) => resolve(signal ?? code)));
  server.signal('SIGTERM');
  t.equal(await exited, 0, 'and not by a signal');
  child?.stdout.resume();
});
