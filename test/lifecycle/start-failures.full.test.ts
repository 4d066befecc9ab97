import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runBurgee } from '../support/burgee-command.ts';
import { takenPort } from '../support/taken-port.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject } from './lifecycle-fixture.ts';

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
