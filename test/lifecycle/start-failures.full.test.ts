import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { debianPrograms } from '../support/debian-programs.ts';
import { createHttpClient } from '../support/http-client.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { takenPort } from '../support/taken-port.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject, provisionOne } from './lifecycle-fixture.ts';

/* A start that cannot succeed ends with a message that says what to do, and exit 1; wrong usage exits 2. */
t.setTimeout(120_000);

t.test('a port in use', async (t) => {
  const port = await takenPort(t);
  const dataDir = temporaryDirectory(t);
  const result = await runBurgee(['serve', '--data-dir', dataDir, '--host', '127.0.0.1', '--port', port]);
  t.equal(result.code, 1);
  t.match(result.stdout + result.stderr, new RegExp(port), 'the message names the port');
  t.match(result.stdout + result.stderr, /in use|another process/i);
  t.match(result.stdout + result.stderr, /--port|BURGEE_PORT/, 'and says what to do');
});

t.test('a start that fails while its threads are still loading', async (t) => {
  const port = await takenPort(t);
  const dataDir = temporaryDirectory(t);
  const slowThreads = join(temporaryDirectory(t), 'slow-threads.mjs');
  writeFileSync(
    slowThreads,
    `import { isMainThread } from 'node:worker_threads';
    if (!isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);`,
  );
  const result = await runBurgee(['serve', '--data-dir', dataDir, '--port', '0', '--admin-port', port], {
    NODE_OPTIONS: `--import ${slowThreads}`,
  });
  t.equal(result.code, 1);
  t.match(result.stderr, `cannot listen on 127.0.0.1:${port}`, 'the message is not lost');
  t.notMatch(result.stdout + result.stderr, 'hangs');
});

const { paths, skip } = debianPrograms('prlimit');

t.test('a limit of address space', { skip }, async (t) => {
  const dataDir = temporaryDirectory(t);
  const limited = (gigabytes: number, ...arguments_: readonly string[]) =>
    spawnSync(
      String(paths['prlimit']),
      [`--as=${gigabytes * 2 ** 30}`, join(repositoryRoot(), 'scripts', 'burgee'), ...arguments_],
      { encoding: 'utf8' },
    );
  for (const gigabytes of [3, 16, 64]) {
    const result = limited(gigabytes, 'serve', '--data-dir', dataDir, '--port', '0');
    t.same([result.signal, result.status], [null, 1], `${gigabytes} GiB: the process ends in order`);
    t.match(result.stderr, /address space.*ulimit -v.*--map-bytes/s, `${gigabytes} GiB: it says why`);
  }
  const { dataDir: stored } = await provisionOne(t);
  const check = limited(2, 'check', '--data-dir', stored);
  t.equal(check.signal, null, 'a command ends in order too');
  t.ok(check.status === 0 || /address space/.test(check.stderr), check.stderr);
});

t.test('a second server on the port of the first', async (t) => {
  const { dataDir } = await provisionOne(t);
  const server = await bootServer(t, { dataDir });
  const port = String(server.port);
  const other = temporaryDirectory(t);
  const result = await runBurgee(['serve', '--data-dir', other, '--host', '127.0.0.1', '--port', port]);
  t.equal(result.code, 1);
  const client = createHttpClient(t, { port: server.port });
  t.equal((await client.send({ path: '/health' })).status, 200, 'the first server still serves');
  await server.stop();
});

t.test('a data directory that another server has open', async (t) => {
  const { dataDir, flag } = await provisionOne(t);
  const server = await bootServer(t, { dataDir });
  const result = await runBurgee(['serve', '--data-dir', dataDir, '--host', '127.0.0.1', '--port', '0']);
  t.equal(result.code, 1);
  t.match(result.stdout + result.stderr, new RegExp(dataDir), 'the message names the directory');
  const client = createHttpClient(t, { port: server.port });
  t.equal((await client.send({ path: `/v1/flags/${flag}` })).status, 200, 'the first server still serves');
  await server.stop();
});

t.test('an unknown setting', async (t) => {
  const dataDir = temporaryDirectory(t);
  const result = await runBurgee(['serve', '--data-dir', dataDir, '--port', '0'], { BURGEE_PROT: '8080' });
  t.equal(result.code, 1);
  t.match(result.stdout + result.stderr, /BURGEE_PROT/);
});

t.test('settings with wrong values, all reported at once', async (t) => {
  const dataDir = temporaryDirectory(t);
  const settings = { BURGEE_PORT: 'many', BURGEE_LOG_LEVEL: 'loud', BURGEE_TRUSTED_PROXIES: 'everyone' };
  const result = await runBurgee(['serve', '--data-dir', dataDir], settings);
  t.equal(result.code, 1);
  for (const name of Object.keys(settings)) t.match(result.stdout + result.stderr, new RegExp(name));
});

for (const [what, content] of [
  ['something else', Buffer.from('not a store'.repeat(10_000))],
  ['nothing', Buffer.alloc(0)],
] as const) {
  t.test(`a store whose file holds ${what}`, async (t) => {
    const { dataDir } = await provisionOne(t);
    writeFileSync(dataFileOf(dataDir), content);
    const result = await runBurgee(['serve', '--data-dir', dataDir, '--host', '127.0.0.1', '--port', '0']);
    t.equal(result.code, 1);
    t.match(result.stdout + result.stderr, new RegExp(dataDir));
    t.match(result.stdout + result.stderr, /backup/i, 'the message says what to do');
    t.equal((await runBurgee(['check', '--data-dir', dataDir])).code, 1);
  });
}

t.test('a data directory that cannot be created', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'file'), '');
  const dataDir = join(directory, 'file', 'data');
  const result = await runBurgee(['serve', '--data-dir', dataDir, '--host', '127.0.0.1', '--port', '0']);
  t.equal(result.code, 1);
  // Node 20's message names the directory to create, Node 22's the file in the way.
  t.match(result.stderr, new RegExp(`${directory}/file(/data)? `));
  t.match(result.stderr, /Choose a(nother one| directory)/, 'it says what to do');
});

t.test('wrong usage', async (t) => {
  t.equal((await runBurgee(['serve', '--no-such-flag'])).code, 2);
  t.equal((await runBurgee(['no-such-command'])).code, 2);
  t.equal((await runBurgee(['token', 'revoke'])).code, 2);
});

t.test('a refused apply changes nothing', async (t) => {
  const directory = temporaryDirectory(t);
  const dataDir = join(directory, 'data');
  mkdirSync(dataDir);
  const file = join(directory, 'refused.json');
  const flags = [{ name: 'fine' }, { name: 'wrong', trafficPercentage: 101 }];
  writeFileSync(file, JSON.stringify(oneProject('refused', { flags })));
  const refused = await runBurgee(['apply', file, '--data-dir', dataDir]);
  t.equal(refused.code, 1);
  t.match(refused.stdout + refused.stderr, /trafficPercentage/, 'the path is named');
  writeFileSync(file, JSON.stringify(oneProject('refused', { flags: [{ name: 'fine' }] })));
  const applied = await runBurgee(['apply', file, '--data-dir', dataDir]);
  t.equal(applied.code, 0);
  t.same(Object.keys(JSON.parse(applied.stdout).projects.refused.flags), ['fine']);
});
