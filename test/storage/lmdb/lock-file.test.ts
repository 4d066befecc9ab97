import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { provisionOne } from '../../lifecycle/lifecycle-fixture.ts';
import {
  reachableCheckout,
  unprivilegedIds,
  unprivilegedPath,
  unprivilegedPrefix,
  unprivilegedSkip,
} from '../../packaging/unprivileged.ts';
import { runBurgee, runBurgeeOrThrow } from '../../support/burgee-command.ts';

/* Commands on the data directory may run as another user than the service. */
t.setTimeout(60_000);

const ids = unprivilegedIds;
const skip = ids === null ? 'only root can change the user' : unprivilegedSkip();

/** A directory that the unprivileged user can reach. */
let checkout: string | null = null;

/** A store of the unprivileged user, without a lock file, as after a restore. */
async function foreignStore(t: Parameters<typeof provisionOne>[0]): Promise<string> {
  const { dataDir } = await provisionOne(t);
  rmSync(join(dataDir, 'burgee.mdb-lock'));
  const { uid, gid } = ids ?? { uid: 0, gid: 0 };
  for (const path of ['.', ...readdirSync(dataDir)]) chownSync(join(dataDir, path), uid, gid);
  return dataDir;
}

/** Runs a command as the unprivileged user. */
function run(...words: readonly string[]) {
  checkout ??= reachableCheckout(t);
  const [command = '', ...arguments_] = [
    ...unprivilegedPrefix,
    join(checkout, 'scripts', 'burgee'),
    ...words,
  ];
  const { status, stdout, stderr, signal } = spawnSync(command, arguments_, {
    env: { PATH: unprivilegedPath },
    encoding: 'utf8',
  });
  return { status, signal, text: stdout + stderr };
}

t.test('after root has read a store, its owner can still use it', { skip }, async (t) => {
  const dataDir = await foreignStore(t);
  await runBurgeeOrThrow(['check', '--data-dir', dataDir]);
  t.equal(statSync(join(dataDir, 'burgee.mdb-lock')).uid, ids?.uid);
  t.match(run('stat', '--data-dir', dataDir), { status: 0 });
});

t.test('a lock file that may not be opened is named, for reading and for writing', { skip }, async (t) => {
  const dataDir = await foreignStore(t);
  await runBurgee(['check', '--data-dir', dataDir]);
  const path = join(dataDir, 'burgee.mdb-lock');
  chownSync(path, 0, 0);
  chmodSync(path, 0o600);
  for (const command of ['stat', 'serve']) {
    const { status, signal, text } = run(command, '--data-dir', dataDir);
    t.same([status, signal], [1, null], command);
    t.match(text, new RegExp(`permission denied.*${path}'. Check its owner and permissions`));
  }
});
