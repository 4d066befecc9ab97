import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { readManifest } from '../../../src/storage/backup/backup-manifest.ts';
import { dataFileOf } from '../../../src/storage/lmdb/environment.ts';
import { formatAfter, storeMigrations } from '../../../src/storage/migrations/migrate-store.ts';
import type { Migration } from '../../../src/storage/migrations/migration.ts';
import { openStore } from '../../../src/storage/store.ts';
import { StoreError } from '../../../src/storage/store-error.ts';
import { markerFileOf } from '../../../src/storage/store-identity.ts';
import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { storeFormat } from '../../../src/storage/tables/meta.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { mapBytes, type SampleRecords, writeSample } from '../support/sample-store.ts';
import { addNotes, renameAll } from '../support/test-migrations.ts';

/** A closed store of the present format in `data`, within a directory of its own. */
async function olderStore(
  test: Test,
): Promise<{ directory: string; sample: SampleRecords; storeId: string }> {
  const directory = join(temporaryDirectory(test), 'data');
  const store = openStore({ directory, mapBytes });
  const sample = writeSample(store);
  await store.close();
  return { directory, sample, storeId: store.id };
}

async function migrate(directory: string, migrations: readonly Migration[]) {
  const store = openStore({ directory, mapBytes }, migrations);
  const name = store.write(({ queries }) => [...queries.organisations()][0]?.name);
  await store.close();
  return { name, migrated: store.migrated, storeId: store.id };
}

function backupsOf(directory: string): string[] {
  return readdirSync(dirname(directory)).filter((name) => name.startsWith(`${basename(directory)}-format-`));
}

t.test('the steps lead to the present format without a gap', async (test) => {
  test.equal(formatAfter(storeMigrations), storeFormat);
  for (const [index, { to }] of storeMigrations.entries()) test.equal(to, index + 2);
});

t.test('a store of the present format is opened unchanged', async (test) => {
  const { directory } = await olderStore(test);
  const { migrated } = await migrate(directory, []);
  test.equal(migrated, null);
  test.same(backupsOf(directory), []);
});

t.test('an older store is migrated through all steps, once, after a backup', async (test) => {
  const { directory, sample, storeId } = await olderStore(test);
  const before = readFileSync(dataFileOf(directory));
  const first = await migrate(directory, [renameAll, addNotes]);
  test.equal(first.name, 'migrated');
  test.match(first, { storeId, migrated: { identity: { id: storeId, format: 3 } } });
  test.match(JSON.parse(readFileSync(markerFileOf(directory), 'utf8')), { storeId, format: 3 });
  const [name = ''] = backupsOf(directory);
  test.match(name, /^data-format-1-\d{8}T\d{9}Z$/, 'named by time and format');
  const backup = join(dirname(directory), name);
  test.equal(first.migrated?.backup, backup);
  test.match(readManifest(backup), { storeId, format: 1 });
  test.same(readFileSync(dataFileOf(backup)), before, 'it is the old store');
  const old = openStoreReader({ directory: backup, mapBytes });
  test.strictSame(old.queries.flag(sample.flag.id), sample.flag);
  await old.close();
  const again = await migrate(directory, [renameAll, addNotes]);
  test.equal(again.migrated, null);
  test.equal(backupsOf(directory).length, 1);
});

t.test('a completed step is not repeated', async (test) => {
  const { directory } = await olderStore(test);
  await migrate(directory, [renameAll]);
  const never: Migration = {
    ...renameAll,
    migrate: () => {
      throw new Error('again');
    },
  };
  const { migrated } = await migrate(directory, [never, addNotes]);
  test.equal(migrated?.identity.format, 3);
  test.match(migrated?.backup, /data-format-2-/);
});

t.test(
  'a failed step leaves the store unchanged, and the next attempt uses the same backup',
  async (test) => {
    const { directory, sample } = await olderStore(test);
    const failing: Migration = {
      to: 3,
      databases: ['flags'],
      migrate(databases) {
        for (const key of Array.from(databases.get('flags').getKeys()))
          databases.get('flags').removeSync(key);
        throw new Error('a mistake in the migration');
      },
    };
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      test.throws(
        () => openStore({ directory, mapBytes }, [renameAll, failing]),
        /a mistake in the migration/,
      );
    }
    test.equal(backupsOf(directory).length, 1);
    const reader = openStoreReader({ directory, mapBytes });
    test.strictSame(reader.queries.flag(sample.flag.id), sample.flag);
    test.equal([...reader.queries.organisations()][0]?.name, sample.organisation.name);
    await reader.close();
    test.equal((await migrate(directory, [renameAll, addNotes])).name, 'migrated');
    test.equal(backupsOf(directory).length, 1);
  },
);

t.test('kill -9 in the middle of a migration leaves the old store unchanged', async (test) => {
  const { directory, sample } = await olderStore(test);
  const entry = fileURLToPath(new URL('../support/killed-migration.js', import.meta.url));
  const child = spawn(process.execPath, [entry, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  test.equal(signal, 'SIGKILL');
  test.equal(said, 'every organisation is renamed\n', 'the migration was under way');
  const reader = openStoreReader({ directory, mapBytes });
  test.equal([...reader.queries.organisations()][0]?.name, sample.organisation.name);
  await reader.close();
  const { name, migrated } = await migrate(directory, [renameAll]);
  test.equal(name, 'migrated');
  test.equal(migrated?.identity.format, 2);
  test.equal(backupsOf(directory).length, 1, "the first attempt's backup is used");
});

t.test('the next opening repairs a crash between the migration and the marker', async (test) => {
  const { directory, storeId } = await olderStore(test);
  await migrate(directory, [renameAll]);
  writeFileSync(markerFileOf(directory), JSON.stringify({ storeId, format: 1 }));
  const { migrated } = await migrate(directory, [renameAll]);
  test.equal(migrated, null);
  test.match(JSON.parse(readFileSync(markerFileOf(directory), 'utf8')), { storeId, format: 2 });
});

t.test('a migrated store is refused by an older Burgee, reader and writer alike', async (test) => {
  const { directory } = await olderStore(test);
  await migrate(directory, [renameAll]);
  for (const open of [
    () => openStore({ directory, mapBytes }),
    () => openStoreReader({ directory, mapBytes }),
  ]) {
    test.throws(open, StoreError);
    test.throws(open, /has store format 2; this version of Burgee knows formats up to 1\. Upgrade Burgee/);
  }
});

t.test('if no file can be made beside the data directory, the backup lies in it', async (test) => {
  const { directory } = await olderStore(test);
  // A file with the beginning of the wanted name does not prevent the backup there; a parent without permission does.
  const parent = dirname(directory);
  if (process.getuid?.() === 0) test.comment('root may write anywhere, so the backup lies beside it');
  else {
    const { chmodSync } = await import('node:fs');
    chmodSync(parent, 0o500);
    test.teardown(() => chmodSync(parent, 0o700));
  }
  const { migrated } = await migrate(directory, [renameAll]);
  test.equal(readManifest(migrated?.backup ?? '')?.format, 1);
  const isInside = dirname(migrated?.backup ?? '') === directory;
  test.equal(isInside, process.getuid?.() !== 0);
});

t.test('a migration that asks for a database it does not list is stopped', async (test) => {
  const { directory } = await olderStore(test);
  const careless: Migration = { to: 2, databases: [], migrate: (databases) => void databases.get('flags') };
  test.throws(() => openStore({ directory, mapBytes }, [careless]), /does not list flags/);
  rmSync(directory, { recursive: true });
});
