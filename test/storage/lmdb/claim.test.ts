import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { claimDirectory, claimFileOf } from '../../../src/storage/lmdb/claim.ts';
import { StoreError } from '../../../src/storage/store-error.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const holder = fileURLToPath(new URL('../support/claim-holder.js', import.meta.url));

t.test('a directory is claimed once, also within a process, and again after the release', async (test) => {
  const directory = temporaryDirectory(test);
  const claim = claimDirectory(directory);
  test.throws(() => claimDirectory(directory), StoreError);
  test.throws(() => claimDirectory(directory), new RegExp(`in use by process ${process.pid}\\. Stop`));
  claim.release();
  claim.release();
  const again = claimDirectory(directory);
  test.throws(() => claimDirectory(directory), StoreError);
  again.release();
});

t.test('a claim makes the directory, accessible only for its owner', async (test) => {
  const directory = join(temporaryDirectory(test), 'a', 'b');
  claimDirectory(directory).release();
  test.equal(statSync(directory).mode & 0o777, 0o700);
  test.equal(statSync(claimFileOf(directory)).mode & 0o777, 0o600);
});

t.test("a dead holder's files do not prevent a claim", async (test) => {
  const directory = temporaryDirectory(test);
  writeFileSync(claimFileOf(directory), '4194304\n');
  claimDirectory(directory).release();
});

t.test('the error names a directory that cannot be created or claimed', async (test) => {
  const file = join(temporaryDirectory(test), 'file');
  writeFileSync(file, '');
  test.throws(() => claimDirectory(join(file, 'data')), StoreError);
  test.throws(() => claimDirectory(file), StoreError);
});

t.test(
  'if a claim is impossible there, the error comes at once',
  { skip: !existsSync('/proc/self') },
  async (test) => {
    for (const directory of ['/proc/none', '/proc/none/deeper']) {
      test.throws(() => claimDirectory(directory), /cannot be created: .*Choose a directory/);
    }
  },
);

t.test('a claim ends with its process, even by SIGKILL', async (test) => {
  const directory = temporaryDirectory(test);
  const child = spawn(process.execPath, [holder, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  test.throws(() => claimDirectory(directory), new RegExp(`in use by process ${child.pid}\\.`));
  child.kill('SIGKILL');
  await once(child, 'exit');
  claimDirectory(directory).release();
});
