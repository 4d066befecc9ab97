import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  exitOf,
  installClient,
  packClient,
  startTwoFlags,
  UserOfClient,
  variablesFor,
} from './client-package.ts';

t.setTimeout(300_000);

t.test('Jest takes the entries of the packed client', async (t) => {
  const directory = temporaryDirectory(t);
  installClient(packClient(), directory, 'commonjs');
  const npm = ['install', '--no-audit', '--no-fund', '--loglevel=error', 'jest@30.5.2'];
  execFileSync('npm', npm, { cwd: directory, stdio: 'pipe' });
  const server = await startTwoFlags(t);
  new UserOfClient(directory).commonJs();
  const program = `const { ask } = require('./program.cjs');
    test('it answers', async () => expect(await ask()).toBe('cjs true true'));`;
  writeFileSync(join(directory, 'flags.test.js'), program);
  const jest = spawn(process.execPath, [join('node_modules', 'jest', 'bin', 'jest.js'), '--ci'], {
    cwd: directory,
    env: variablesFor(server),
    stdio: 'inherit',
  });
  t.equal(await exitOf(jest), 0);
});
