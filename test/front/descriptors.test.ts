import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type AdminClient, bootWithAdmin } from '../admin/admin-fixture.ts';
import { openFilesOf } from '../campaigns/resources.ts';
import { getRequest, patchRequest, WireConnection } from '../campaigns/wire-connection.ts';
import { flagdPortOf } from '../flagd/flagd-fixture.ts';
import { oneProject, type Provisioned, provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { finishCommand, runBurgeeOrThrow, spawnBurgee } from '../support/burgee-command.ts';
import { eventually } from '../support/expectations.ts';
import { provision } from '../support/provisioning.ts';
import { openRawConnection, type RawConnection } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/*
 * A service has fewer connections than its process may have descriptors: without a free descriptor it can neither
 * accept nor refuse a connection.
 */

const descriptorsMax = 256;
const crowd = 400;
/** Shorter than the service's time limit for a silent connection. */
const lookedMs = 1000;

const skip = spawnSync('prlimit', ['--version']).status === 0 ? false : 'prlimit sets the limit';

/** Starts a program with a limit of descriptors. Sets the hard limit, because Node raises its own up to that. */
function limited(max: number): readonly string[] {
  return ['prlimit', `--nofile=${max}:${max}`];
}

interface Scene {
  readonly server: BootedServer;
  readonly admin: AdminClient;
  readonly provisioned: Provisioned;
  /** Opens connections that the service keeps although they send nothing. */
  readonly held: readonly RawConnection[];
}

async function openCrowdedScene(t: Test): Promise<Scene> {
  const provisioned = await provisionOne(t);
  const { server, admin } = await bootWithAdmin(t, {
    dataDir: provisioned.dataDir,
    settings: { BURGEE_WORKERS: '2' },
    spawn: (arguments_, settings) => spawnBurgee(arguments_, settings, limited(descriptorsMax)),
  });
  const opened: RawConnection[] = [];
  for (let count = 0; count < crowd; count += 1) opened.push(await openRawConnection(t, server.port));
  const refused = async (): Promise<number> =>
    (await admin.scrape()).value('burgee_connections_refused_total');
  await eventually(
    async () => (await refused()) + (await admin.scrape()).value('burgee_connections') >= crowd,
    5000,
    'not every connection is taken or refused',
  );
  return { server, admin, provisioned, held: opened.filter((each) => !each.isClosed()) };
}

/** @returns how long the main thread of a process has run or waited for a core, in milliseconds */
function wantedMsOf(pid: number): number {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ').map(Number);
  return (ran + waited) / 1e6;
}

t.test('more connections than descriptors', { skip }, async (t) => {
  const { server, admin, provisioned, held } = await openCrowdedScene(t);
  const path = `/v1/flags/${provisioned.flag}`;

  await t.test('a new connection gets a 503, and is closed', async (t) => {
    const connection = await openRawConnection(t, server.port);
    const answer = await connection.response();
    t.equal(answer?.status, 503);
    t.match(answer?.head, /\r\nRetry-After: \d+/i);
    t.match(answer?.head, /\r\nConnection: close/i);
    t.match(JSON.parse(String(answer?.body)), { error: 'Service unavailable' });
    await connection.closed;
  });

  await t.test('the process is idle without requests', async (t) => {
    const before = wantedMsOf(server.pid);
    await setTimeout(lookedMs);
    const wantedMs = wantedMsOf(server.pid) - before;
    t.ok(wantedMs < lookedMs / 2, `of ${lookedMs} ms the main thread works ${wantedMs}`);
  });

  await t.test('connected clients are served', async (t) => {
    t.ok(held.length > 50, `${held.length} are`);
    t.ok(held.length < descriptorsMax);
    for (const connection of held) connection.write(getRequest(path));
    const answers = await Promise.all(held.map((connection) => connection.response()));
    t.ok(answers.every((answer) => answer?.status === 200));
    const [first] = held;
    first?.write(patchRequest(`/api/v1/flags/${provisioned.flag}`, provisioned.secret, { enabled: true }));
    t.equal((await first?.response())?.status, 200);
  });

  await t.test('files and the operator have descriptors left', async (t) => {
    t.ok(openFilesOf(server.pid) < descriptorsMax - 32, `${openFilesOf(server.pid)} are open`);
    const scratch = temporaryDirectory(t);
    await provision(provisioned.dataDir, scratch, oneProject('harbour', { flags: [{ name: 'another' }] }));
    await runBurgeeOrThrow(['backup', `${scratch}/backup`, '--data-dir', provisioned.dataDir]);
  });

  await t.test('the metrics and the log say so, the log once', async (t) => {
    const scrape = await admin.scrape();
    t.equal(scrape.value('burgee_connections'), held.length);
    t.equal(scrape.value('burgee_connections_limit'), held.length);
    t.ok(scrape.value('burgee_connections_refused_total') > 1);
    const isTold = (line: string): boolean => line.includes('connections are refused');
    await server.line(isTold);
    t.equal(server.lines.filter(isTold).length, 1);
  });

  await t.test('a place is free again when a client goes', async (t) => {
    for (const connection of held.slice(0, 10)) connection.destroy();
    await eventually(
      async () => (await admin.scrape()).value('burgee_connections') === held.length - 10,
      5000,
      'their places are not free',
    );
    for (let count = 0; count < 10; count += 1) {
      const connection = await WireConnection.open(server.port);
      t.teardown(() => connection.destroy());
      t.equal((await connection.ask(getRequest(path))).status, 200);
    }
  });

  await server.stop();
});

t.test('connections to flagd’s port leave descriptors to the front end', { skip }, async (t) => {
  const { dataDir } = await provisionOne(t);
  const { server, admin } = await bootWithAdmin(t, {
    dataDir,
    settings: { BURGEE_WORKERS: '2', BURGEE_FLAGD_SYNC_PORT: '0' },
    spawn: (arguments_, settings) => spawnBurgee(arguments_, settings, limited(2 * descriptorsMax)),
  });
  const flagdPort = await flagdPortOf(server);
  const connections = async (): Promise<number> => {
    const scrape = await admin.scrape();
    return scrape.value('burgee_connections_refused_total') + scrape.value('burgee_connections');
  };
  for (let count = 0; count < crowd; count += 1) {
    const socket = connect({
      port: flagdPort,
      host: '127.0.0.1',
      localAddress: `127.0.1.${1 + (count % 50)}`,
    });
    socket.on('error', () => socket.destroy());
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
  }
  for (let count = 0; count < crowd; count += 1) await openRawConnection(t, server.port);
  await eventually(async () => (await connections()) >= crowd, 5000, 'each is taken or refused');
  t.ok(openFilesOf(server.pid) < 2 * descriptorsMax - 32, `${openFilesOf(server.pid)} are open`);
  const before = wantedMsOf(server.pid);
  await setTimeout(lookedMs);
  t.ok(wantedMsOf(server.pid) - before < lookedMs / 2, 'the main thread does not try for ever');
  await server.stop();
});

t.test('a limit that leaves no descriptor for connections ends the start', { skip }, async (t) => {
  const serve = ['serve', '--data-dir', temporaryDirectory(t), '--port', '0'];
  const { code, stderr } = await finishCommand(spawnBurgee(serve, { BURGEE_WORKERS: '1' }, limited(96)));
  t.equal(code, 1);
  t.match(stderr, /96 file descriptors.*Raise the limit: LimitNOFILE=/);
});
