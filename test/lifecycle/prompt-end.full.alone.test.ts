import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { spawnBurgee } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject, provisionOne } from './lifecycle-fixture.ts';

/* Ends of the service that take no longer than they must. The other tests of its end are in shutdown.full.test.ts. */
t.setTimeout(120_000);

t.test('an unused service ends without waiting', async (t) => {
  const { dataDir } = await provisionOne(t);
  const tookMs: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const server = await bootServer(t, { dataDir });
    const signalledAt = performance.now();
    server.signal('SIGTERM');
    t.equal(await server.ended, 0);
    tookMs.push(performance.now() - signalledAt);
  }
  const [, medianMs = Number.NaN] = tookMs.sort((one, other) => one - other);
  t.ok(medianMs < 450, `it took ${medianMs.toFixed(0)} ms`);
});

t.test('a second signal exits at once during a large change, which is then complete or absent', async (t) => {
  const { dataDir } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const file = join(temporaryDirectory(t), 'large.json');
  const cohorts = Array.from({ length: 100 }, (_, index) => `customer ${index}`);
  const flags = Array.from({ length: 10_000 }, (_, index) => ({ name: `flag ${index}`, cohorts }));
  writeFileSync(file, JSON.stringify(oneProject('large', { flags })));
  const apply = spawnBurgee(['apply', file, '--data-dir', dataDir]);
  const applied = new Promise((resolve) => apply.once('close', resolve));
  apply.stdout.resume();
  let told = '';
  // The writer is inside its transaction once it has reported progress.
  await new Promise<void>((resolve) => {
    apply.stderr.on('data', (text: Buffer) => {
      told += text.toString();
      if (/applying|written|[Ww]riting/.test(told)) resolve();
    });
    apply.once('close', () => resolve());
  });
  const signalledAt = performance.now();
  // Two signals of the same kind would merge if the process does not run in between.
  server.signal('SIGTERM');
  server.signal('SIGINT');
  await server.ended;
  t.ok(performance.now() - signalledAt < 2000);
  await applied;
  const check = spawnBurgee(['check', '--data-dir', dataDir]);
  check.stdout.resume();
  t.equal(await new Promise((resolve) => check.once('close', resolve)), 0, 'the store is clean');
});
