import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import type { spawnBurgee } from '../support/burgee-command.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { findIsolation, innerPid } from '../support/isolation.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* Tests of deploy/burgee.service that need systemd installed but not running. */
t.setTimeout(300_000);

const root = repositoryRoot();
const unit = readFileSync(join(root, 'deploy', 'burgee.service'), 'utf8');
const systemd = debianPrograms('systemd-analyze');
const strace = debianPrograms('strace');

/** All values of a setting that may be given several times. */
const valuesOf = (name: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => String(value));

t.test('the started files exist, and its settings fit Burgee', async (t) => {
  for (const command of [...valuesOf('ExecStart'), ...valuesOf('ExecStartPost')]) {
    const [node, script = ''] = command.split(' ');
    t.equal(node, '/opt/burgee/bin/node');
    t.ok(existsSync(script.replace('/opt/burgee', root)), script);
  }
  const page = readFileSync(join(root, 'docs', 'configuration.md'), 'utf8');
  const drainTimeoutMs = Number(/`BURGEE_DRAIN_TIMEOUT_MS` \| `(\d+)`/.exec(page)?.[1]);
  t.ok(Number.parseInt(valuesOf('TimeoutStopSec')[0] ?? '', 10) * 1000 > drainTimeoutMs + 2000);
  t.same(valuesOf('Restart'), ['always']);
  t.same(valuesOf('MemoryDenyWriteExecute'), [], 'V8 writes machine code');
});

t.test('systemd finds no problem in it', { skip: systemd.skip }, async (t) => {
  const file = join(temporaryDirectory(t), 'burgee.service');
  writeFileSync(
    file,
    unit.replaceAll('/opt/burgee/bin/node', process.execPath).replaceAll('/opt/burgee', root),
  );
  const analyze = (...arguments_: readonly string[]) =>
    spawnSync(pathOf(systemd, 'systemd-analyze'), [...arguments_, file], { encoding: 'utf8' });
  const verified = analyze('verify', '--man=no');
  t.equal(verified.status, 0);
  t.equal(verified.stderr, '', 'not even a warning');
  // In tenths. 1.3 of 10 is the least for a network service.
  const rated = analyze('security', '--offline=true', '--no-pager', '--threshold=15');
  t.equal(rated.status, 0, rated.stdout.trim().split('\n').at(-1) ?? '');
});

t.test(
  'its filter has every system call of a working Burgee',
  { skip: systemd.skip || strace.skip },
  async (t) => {
    const trace = join(temporaryDirectory(t), 'trace');
    const words = [pathOf(strace, 'strace'), '-f', '-qq', '-c', '-o', trace];
    await work(t, words);
    const table = readFileSync(trace, 'utf8').split('\n').slice(2);
    const used = table
      .map((line) => line.trim().split(/\s+/).at(-1) ?? '')
      .filter((name) => /^[a-z]\w+$/.test(name));
    t.ok(used.includes('pwrite64') || used.includes('write'), 'something was traced');
    const allowed = allowedCalls();
    const refused = used.filter((name) => name !== 'total' && !allowed.has(name));
    t.same(refused, []);
  },
);

const isolation = findIsolation('--mount', '--pid', '--fork', '--kill-child');

t.test(
  'it works with the parts of /proc that ProcSubset and ProtectProc leave',
  { skip: isolation.skip },
  async (t) => {
    t.same([valuesOf('ProcSubset'), valuesOf('ProtectProc')], [['pid'], ['invisible']]);
    const bareProc =
      'mount -t proc -o subset=pid,hidepid=2 proc /proc && [ ! -e /proc/meminfo ] && exec "$@"';
    await work(t, [...isolation.prefix, 'sh', '-c', bareProc, 'sh']);
  },
);

/** Starts Burgee under a program, makes reads and changes, and stops it. */
async function work(t: Test, prefix: readonly string[]): Promise<void> {
  const { dataDir, flag, secret } = await provisionOne(t);
  const under: typeof spawnBurgee = (arguments_, settings = {}) => {
    const [command = '', ...words] = [...prefix, join(root, 'scripts', 'burgee'), ...arguments_];
    return spawn(command, words, { env: { PATH: process.env['PATH'], ...settings } });
  };
  const server = await bootServer(t, { dataDir, settings: unlimited, spawn: under });
  const client = createHttpClient(t, { port: server.port });
  const headers = bearer(secret);
  for (const body of ['{"enabled":true}', '{"enabled":false}']) {
    const changed = await client.send({ method: 'PATCH', path: `/api/v1/flags/${flag}`, headers, body });
    t.equal(changed.status, 200);
    t.equal((await client.send({ path: `/v1/flags/${flag}?targetingKey=a` })).status, 200);
    t.equal((await client.send({ path: '/api/v1/flags', headers })).status, 200);
  }
  process.kill(innerPid(server.pid), 'SIGTERM');
  t.equal(await server.ended, 0);
}

/** The system calls that SystemCallFilter admits: sets are expanded, and those after a tilde removed. */
function allowedCalls(): ReadonlySet<string> {
  const allowed = new Set<string>();
  for (const value of valuesOf('SystemCallFilter')) {
    for (const name of value.replace('~', '').split(' ')) {
      for (const call of callsOf(name)) {
        if (value.startsWith('~')) allowed.delete(call);
        else allowed.add(call);
      }
    }
  }
  return allowed;
}

function callsOf(name: string): readonly string[] {
  if (!name.startsWith('@')) return [name];
  const { stdout } = spawnSync(pathOf(systemd, 'systemd-analyze'), ['syscall-filter', '--no-pager', name], {
    encoding: 'utf8',
  });
  const lines = stdout.split('\n').slice(1);
  const names = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  return names.flatMap((each) => callsOf(each));
}
