import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { bootServer } from '../support/booted-server.ts';
import type { spawnBurgee } from '../support/burgee-command.ts';
import { createHttpClient } from '../support/http-client.ts';
import { findIsolation, innerPid } from '../support/isolation.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type ImageTree, makeImageTree, makeReadOnly, makeWritable } from './image-tree.ts';
import { unprivilegedIds, unprivilegedPath, unprivilegedPrefix, unprivilegedSkip } from './unprivileged.ts';

/*
 * Carries out the steps of the Dockerfile without a container engine: build, install for production, copy. Then runs
 * the result as a user who may write only to the data directory.
 */
t.setTimeout(600_000);

const skip = unprivilegedSkip();
const isolation = findIsolation('--mount', '--pid', '--fork', '--mount-proc', '--kill-child');

t.test('the image’s steps', { skip }, async (t) => {
  const directory = temporaryDirectory(t);
  const image = makeImageTree(directory);
  makeReadOnly(directory);
  t.teardown(() => makeWritable(directory));

  t.test('production dependencies suffice, and no others are there', async (t) => {
    const installed = readdirSync(join(image.app, 'node_modules'));
    t.ok(installed.includes('lmdb'));
    for (const tool of ['typescript', 'tap', '@biomejs', 'knip']) t.notOk(installed.includes(tool), tool);
    t.notOk(existsSync(join(image.app, 'test')));
    t.ok(existsSync(join(image.app, 'dist', 'pages.pack')));
  });

  t.test('it serves from a read-only tree', async (t) => {
    await serves(t, image, [...unprivilegedPrefix]);
  });

  t.test('it serves with every mount but the data read-only', { skip: isolation.skip }, async (t) => {
    await serves(t, image, [...isolation.prefix, 'sh', '-c', readOnlyMounts, 'sh'], true);
  });
});

/** Makes every mount but that of the data read-only, and drops privileges. Its arguments are the program. */
const readOnlyMounts = `
mount --make-rprivate / && mount --bind "$TEST_VOLUME" "$TEST_VOLUME"
while read -r _ _ _ _ place options _; do
  # Its other options stay: an ordinary user may not drop them.
  [ "$place" = "$TEST_VOLUME" ] || mount -o "remount,bind,ro\${options#rw}" "$place" 2>/dev/null
done < /proc/self/mountinfo
for place in /tmp /var/tmp /dev/shm "$HOME" "$PWD"; do
  if touch "$place/burgee-probe" 2>/dev/null; then echo "$place can be written to" >&2; exit 1; fi
done
exec ${unprivilegedPrefix.join(' ')} "$@"
`;

async function serves(
  t: Test,
  image: ImageTree,
  prefix: readonly string[],
  isIsolated = false,
): Promise<void> {
  const volume = join(temporaryDirectory(t), 'v');
  chmodSync(join(volume, '..'), 0o755);
  mkdirSync(volume, { mode: 0o700 });
  if (unprivilegedIds !== null) chownSync(volume, unprivilegedIds.uid, unprivilegedIds.gid);
  const start: typeof spawnBurgee = (arguments_, settings = {}) => {
    const [command = '', ...words] = [...prefix, join(image.app, 'scripts', 'burgee'), ...arguments_];
    const env = { PATH: unprivilegedPath, HOME: '/', TEST_VOLUME: volume, ...settings };
    return spawn(command, words, { env, cwd: image.app });
  };
  const server = await bootServer(t, { dataDir: join(volume, 'burgee'), spawn: start });
  const client = createHttpClient(t, { port: server.port });
  t.equal((await client.send({ path: '/health' })).status, 200);
  t.equal((await client.send({ path: '/docs' })).status, 200);
  t.equal((await client.send({ path: '/api/v1/flags' })).status, 401);
  t.equal(await healthCheck(image, server.port), 0, 'the health check passes');
  if (isIsolated) process.kill(innerPid(server.pid), 'SIGTERM');
  else server.signal('SIGTERM');
  t.equal(await server.ended, 0, 'SIGTERM: exit 0');
  t.equal(await healthCheck(image, server.port), 1, 'the health check without a server');
  t.ok(existsSync(join(volume, 'burgee', 'burgee.mdb')));
}

async function healthCheck(image: ImageTree, port: number): Promise<number | null> {
  const script = join(image.app, 'deploy', 'health-check.mjs');
  const child = spawn(process.execPath, [script], {
    env: { BURGEE_PORT: String(port), BURGEE_HOST: '0.0.0.0' },
  });
  child.stderr.resume();
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
}
