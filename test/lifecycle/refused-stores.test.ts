import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runBurgee } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { provisionOne } from './lifecycle-fixture.ts';

/*
 * A start on something that is no usable store says what it is and what to do, without a stack or false reports of
 * damage.
 */
t.setTimeout(300_000);

t.test('a refused store is no failure of the service: the message does not ask for a restart', async (t) => {
  const { dataDir } = await provisionOne(t);
  const backup = join(temporaryDirectory(t), 'backup');
  t.equal((await runBurgee(['backup', backup, '--data-dir', dataDir])).code, 0);
  for (const adminPort of ['off', '0']) {
    const given = ['--data-dir', backup, '--host', '127.0.0.1', '--port', '0', '--admin-port', adminPort];
    const result = await runBurgee(['serve', ...given]);
    t.equal(result.code, 1);
    t.match(result.stderr, `burgee: ${backup} is a backup, which must not change.`);
    t.notMatch(result.stdout + result.stderr, 'start it again');
  }
});

for (const command of ['check', 'stat', 'export', 'apply'] as const) {
  t.test(`${command} on a file in place of a data directory says so`, async (t) => {
    const directory = temporaryDirectory(t);
    const file = join(directory, 'file');
    writeFileSync(file, '{"organisations":[]}');
    const given = command === 'apply' ? [file] : [];
    const result = await runBurgee([command, ...given, '--data-dir', file]);
    t.equal(result.code, 1);
    t.match(result.stderr, `${file} is not a directory`);
    t.notMatch(result.stdout + result.stderr, 'damaged');
    t.notMatch(result.stderr, 'EEXIST');
  });
}
