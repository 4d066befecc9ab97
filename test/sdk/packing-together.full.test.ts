import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';

const root = repositoryRoot();

async function pack(): Promise<string> {
  const script = join(root, 'scripts', 'pack-client.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: root });
  return stdout.trim().split('\n').at(-1) ?? '';
}

t.test('two processes pack the client at the same time, and each gets a whole package', async (t) => {
  const [first, second] = await Promise.all([pack(), pack()]);
  t.equal(first, second, 'they make the same file');
  const { stdout } = await promisify(execFile)('tar', ['-tzf', first ?? '']);
  for (const name of ['connect.js', 'openfeature.js', 'testing.js', 'types/sdk/connect.d.ts', 'LICENSE']) {
    t.ok(stdout.split('\n').includes(`package/${name}`), name);
  }
});
