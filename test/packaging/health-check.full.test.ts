import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer } from '../support/booted-server.ts';
import type { Settings } from '../support/burgee-command.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* deploy/health-check.mjs, with which a container and a systemd unit check Burgee. */
t.setTimeout(60_000);

interface Outcome {
  readonly code: number | null;
  readonly stderr: string;
}

/** A reserved port, on which no server listens. */
const unusedPort = '1';

async function checkHealth(t: Test, arguments_: readonly string[], env: Settings): Promise<Outcome> {
  const script = join(repositoryRoot(), 'deploy', 'health-check.mjs');
  const child = spawn(process.execPath, [script, ...arguments_], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

async function endedProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'close');
  return child;
}

t.test('it finds the server at the configured address', async (t) => {
  const { dataDir } = await provisionOne(t);
  const { port } = await bootServer(t, { dataDir });
  const file = join(temporaryDirectory(t), 'burgee.json');
  writeFileSync(file, JSON.stringify({ host: '0.0.0.0', port }));
  t.same(await checkHealth(t, [], { BURGEE_PORT: String(port) }), { code: 0, stderr: '' });
  t.same(await checkHealth(t, ['--wait'], { BURGEE_CONFIG: file }), { code: 0, stderr: '' });
  t.same(await checkHealth(t, [`http://127.0.0.1:${port}`], {}), { code: 0, stderr: '' });
  // A variable takes precedence over the file, as for the server.
  const other = await checkHealth(t, [], { BURGEE_CONFIG: file, BURGEE_PORT: unusedPort });
  t.equal(other.code, 1);
  t.match(other.stderr, `http://127.0.0.1:${unusedPort}/health: `);
});

t.test('it stops waiting for a server that has ended', async (t) => {
  const { pid } = await endedProcess();
  const { code, stderr } = await checkHealth(t, ['--wait'], {
    BURGEE_PORT: unusedPort,
    MAINPID: String(pid),
  });
  t.equal(code, 1);
  t.match(stderr, `http://127.0.0.1:${unusedPort}/health: `);
});
