import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import type { spawnBurgee } from '../support/burgee-command.ts';
import { createHttpClient } from '../support/http-client.ts';
import { findIsolation, innerPid } from '../support/isolation.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { provisionOne } from './lifecycle-fixture.ts';

/*
 * In a container without an init process Burgee is process 1, to which the kernel does not deliver signals that it
 * sends itself.
 */
t.setTimeout(120_000);

const isolation = findIsolation('--pid', '--fork', '--mount-proc', '--kill-child');
const patient = { ...unlimited, BURGEE_DRAIN_TIMEOUT_MS: '60000', BURGEE_REQUEST_DEADLINE_MS: '60000' };

t.test('as process 1 it drains on SIGTERM and exits with 0', { skip: isolation.skip }, async (t) => {
  const { server, signal } = await bootFirst(t, (await provisionOne(t)).dataDir);
  signal('SIGTERM');
  t.equal(await server.ended, 0);
});

t.test('as process 1 it ends at once on a second signal', { skip: isolation.skip }, async (t) => {
  const { dataDir, flag, secret } = await provisionOne(t);
  const { server, signal } = await bootFirst(t, dataDir);
  const unfinished = await openRawConnection(t, server.port);
  const head = `Host: a\r\nAuthorization: Bearer ${secret}\r\nContent-Length: 16`;
  unfinished.write(`PATCH /api/v1/flags/${flag} HTTP/1.1\r\n${head}\r\n\r\n{"ena`);
  // The server has read all that was written before this answer.
  const client = createHttpClient(t, { port: server.port });
  for (let turn = 0; turn < 20; turn += 1) await client.send({ path: '/health' });
  signal('SIGTERM');
  while (await acceptsConnections(t, server.port)) t.notOk(unfinished.isClosed());
  signal('SIGTERM');
  t.not(await server.ended, 0, 'the patch was still in flight');
});

/** @returns the server, and a way to signal it from outside its namespace of process ids. */
async function bootFirst(
  t: Test,
  dataDir: string,
): Promise<{ readonly server: BootedServer; readonly signal: (signal: NodeJS.Signals) => void }> {
  const server = await bootServer(t, { dataDir, settings: patient, spawn: spawnIsolated });
  const pid = innerPid(server.pid);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  t.match(status, /^NSpid:(\t\d+)*\t1$/m, 'it is process 1');
  return { server, signal: (signal) => process.kill(pid, signal) };
}

function spawnIsolated(
  ...[arguments_, settings = {}]: Parameters<typeof spawnBurgee>
): ReturnType<typeof spawnBurgee> {
  const [command = '', ...prefix] = isolation.prefix;
  const script = join(repositoryRoot(), 'scripts', 'burgee');
  return spawn(command, [...prefix, script, ...arguments_], {
    env: { PATH: process.env['PATH'], ...settings },
  });
}

async function acceptsConnections(t: Test, port: number): Promise<boolean> {
  const connection = await openRawConnection(t, port).catch(() => null);
  connection?.destroy();
  return connection !== null;
}
