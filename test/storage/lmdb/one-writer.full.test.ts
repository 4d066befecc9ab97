import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { claimDirectory, claimFileOf } from '../../../src/storage/lmdb/claim.ts';
import { dataFileOf } from '../../../src/storage/lmdb/environment.ts';
import { lockFileOf } from '../../../src/storage/lmdb/lock-file.ts';
import { openStore } from '../../../src/storage/store.ts';
import { StoreError } from '../../../src/storage/store-error.ts';
import { markerFileOf } from '../../../src/storage/store-identity.ts';
import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { provisionOne } from '../../lifecycle/lifecycle-fixture.ts';
import { bootServer } from '../../support/booted-server.ts';
import { runBurgee } from '../../support/burgee-command.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { linkedDirectory } from '../support/linked-directory.ts';
import { mapBytes, newStore } from '../support/sample-store.ts';

/*
 * The claim on a directory is a lock on a file in it. That file can be removed, and a data file can be linked in two
 * directories. There must be only one writer all the same: two would each keep a state of their own, and mix their
 * pages.
 */
t.setTimeout(60_000);

const inUse =
  /is in use by another process, which has claimed it under another name, or whose claim file was removed/;

const otherLockFile = /another burgee\.mdb-lock than the one here/;

t.test('a data file is opened for writing only once, with any links and claim files', async (test) => {
  const { directory, store, reader } = newStore(test);
  rmSync(claimFileOf(directory), { force: true });
  test.throws(() => claimDirectory(directory), inUse);
  const linked = linkedDirectory(test, directory);
  test.throws(() => claimDirectory(linked), inUse);
  test.throws(() => openStore({ directory: linked, mapBytes }), StoreError, 'also without a claim');
  await reader.close();
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

t.test('a command that reads through another lock file than the writer’s is refused', async (test) => {
  const { dataDir } = await provisionOne(test);
  const server = await bootServer(test, { dataDir });
  const linked = linkedDirectory(test, dataDir);
  const pointed = join(temporaryDirectory(test), 'pointed');
  mkdirSync(pointed, { mode: 0o700 });
  for (const fileOf of [dataFileOf, markerFileOf]) symlinkSync(fileOf(dataDir), fileOf(pointed));
  const commands = [['check'], ['stat'], ['export'], ['backup', join(temporaryDirectory(test), 'backup')]];
  for (const command of commands) {
    for (const directory of [linked, pointed]) {
      const { code, stderr } = await runBurgee([...command, '--data-dir', directory]);
      test.equal(code, 1, String(command));
      test.match(stderr, otherLockFile);
    }
    const { code, stderr } = await runBurgee([...command, '--data-dir', dataDir]);
    test.equal(code, 0, stderr);
  }
  rmSync(lockFileOf(dataDir));
  const { stderr } = await runBurgee(['check', '--data-dir', dataDir]);
  test.match(stderr, otherLockFile, 'the server keeps the removed lock file');
  await server.stop();
  const alone = await runBurgee(['check', '--data-dir', linked]);
  test.equal(alone.code, 0, alone.stdout + alone.stderr);
});

t.test('no write is possible while a reader has another lock file', async (test) => {
  const { directory, store } = newStore(test);
  await store.close();
  const linked = linkedDirectory(test, directory);
  const reader = openStoreReader({ directory: linked, mapBytes });
  test.throws(() => openStore({ directory, mapBytes }), otherLockFile);
  const beside = openStoreReader({ directory, mapBytes });
  await reader.close();
  const again = openStore({ directory, mapBytes });
  test.throws(() => openStoreReader({ directory: linked, mapBytes }), otherLockFile);
  await beside.close();
  await again.close();
});
