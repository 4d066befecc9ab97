import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { claimDirectory, claimFileOf } from '../../src/storage/claim.ts';
import { dataFileOf } from '../../src/storage/environment.ts';
import { markerFileOf } from '../../src/storage/marker-file.ts';
import { openStore } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { mapBytes, newStore } from './support/sample-store.ts';

/*
 * The claim on a directory is a lock on a file in it, which can be removed, and a data file can lie in two directories.
 * It has one writer all the same: two would each believe their own state, and mix their pages.
 */
t.setTimeout(60_000);

const inUse =
  /is in use by another process, which has claimed it under another name, or whose claim file was removed/;

/** @returns a directory with the same data file, by another name */
function linkedDirectory(test: Test, directory: string): string {
  const linked = join(temporaryDirectory(test), 'linked');
  mkdirSync(linked, { mode: 0o700 });
  for (const fileOf of [dataFileOf, markerFileOf]) linkSync(fileOf(directory), fileOf(linked));
  return linked;
}

t.test('a data file is opened for writing once, whatever its names and its claim file', async (test) => {
  const { directory, store } = newStore(test);
  rmSync(claimFileOf(directory), { force: true });
  test.throws(() => claimDirectory(directory), inUse);
  const linked = linkedDirectory(test, directory);
  test.throws(() => claimDirectory(linked), inUse);
  test.throws(() => openStore({ directory: linked, mapBytes }), StoreError, 'without a claim too');
  await store.close();
  claimDirectory(linked).release();
  await openStore({ directory: linked, mapBytes }).close();
});

t.test('a server without its claim file stays the only writer', async (test) => {
  const { dataDir, tokenId } = await provisionOne(test);
  const server = await bootServer(test, { dataDir });
  const linked = linkedDirectory(test, dataDir);
  rmSync(claimFileOf(dataDir));
  for (const directory of [dataDir, linked]) {
    const second = await runBurgee(['serve', '--data-dir', directory, '--host', '127.0.0.1', '--port', '0']);
    test.equal(second.code, 1);
    test.match(second.stderr, inUse);
  }
  const revoke = await runBurgee(['token', 'revoke', tokenId, '--data-dir', dataDir]);
  test.equal(revoke.code, 0, revoke.stderr);
  await server.stop();
  const again = await bootServer(test, { dataDir });
  await again.stop();
  const { code, stdout } = await runBurgee(['check', '--data-dir', dataDir]);
  test.equal(code, 0, stdout);
});
