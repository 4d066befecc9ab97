import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { open } from 'lmdb';
import t, { type Test } from 'tap';
import { checkStore } from '../../src/storage/check.ts';
import {
  createDatabase,
  createDatabases,
  dataFileOf,
  openEnvironment,
} from '../../src/storage/lmdb/environment.ts';
import { openStore } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { markerFileOf } from '../../src/storage/store-identity.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { identityRecord, metaKeys } from '../../src/storage/tables/meta.ts';
import { newId } from '../../src/support/random-id.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { pageBytesIn } from './support/data-file-head.ts';
import { mapBytes, writeSample } from './support/sample-store.ts';

const bytesOf = (path: string) => readFileSync(path);

/** A directory with a store of some records, closed. */
async function completedStore(test: Test) {
  const directory = temporaryDirectory(test);
  const store = openStore({ directory, mapBytes });
  const { flag } = writeSample(store);
  await store.close();
  return {
    directory,
    storeId: store.id,
    flag,
    dataFile: dataFileOf(directory),
    marker: markerFileOf(directory),
  };
}

function openRaw(directory: string) {
  return openEnvironment({ directory, mapBytes, isReadOnly: false });
}

/** Writer, reader and check refuse with the same message, and leave the data file unchanged. */
function refuses(test: Test, directory: string, message: RegExp): void {
  const before = existsSync(dataFileOf(directory)) ? bytesOf(dataFileOf(directory)) : null;
  const openings = [
    () => openStore({ directory, mapBytes }),
    () => openStoreReader({ directory, mapBytes }),
    () => Array.from(checkStore(directory)),
  ];
  for (const opening of openings) {
    test.throws(opening, StoreError);
    test.throws(opening, message);
  }
  const after = existsSync(dataFileOf(directory)) ? bytesOf(dataFileOf(directory)) : null;
  test.strictSame(after, before, 'the data file is untouched');
}

/** Checks that it becomes a working store. */
async function becomesStore(test: Test, directory: string): Promise<string> {
  const store = openStore({ directory, mapBytes });
  const { flag } = writeSample(store);
  await store.close();
  const again = openStore({ directory, mapBytes });
  test.equal(again.id, store.id);
  const reader = openStoreReader({ directory, mapBytes });
  test.strictSame(reader.queries.flag(flag.id), flag);
  test.equal(reader.id, store.id);
  await reader.close();
  await again.close();
  const marker = JSON.parse(readFileSync(markerFileOf(directory), 'utf8')) as unknown;
  test.match(marker, { storeId: store.id, format: 1, history: /^\w{20}$/ });
  return store.id;
}

t.test('a store is created in a missing directory, accessible only for its owner', async (test) => {
  const directory = join(temporaryDirectory(test), 'a', 'b');
  await becomesStore(test, directory);
  const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777);
  test.equal(statSync(directory).mode & 0o777, 0o700);
  test.strictSame(new Set(modes), new Set([0o600]));
});

t.test('a store is created in an empty directory', async (test) => {
  await becomesStore(test, temporaryDirectory(test));
});

t.test('a reader creates nothing', async (test) => {
  const directory = temporaryDirectory(test);
  refusesReader(test, directory);
  refusesReader(test, join(directory, 'missing'));
  test.strictSame(readdirSync(directory), []);
});

function refusesReader(test: Test, directory: string): void {
  test.throws(() => openStoreReader({ directory, mapBytes }), StoreError);
  test.throws(() => openStoreReader({ directory, mapBytes }), /no store in/);
}

t.test('a completed store without its data file is refused, and never created again', async (test) => {
  const { directory, dataFile } = await completedStore(test);
  rmSync(dataFile);
  refuses(test, directory, /burgee\.mdb is missing.*Restore/);
});

t.test('a completed store whose data file is empty is refused', async (test) => {
  const { directory, dataFile } = await completedStore(test);
  for (const content of [Buffer.alloc(0), Buffer.alloc(4096), Buffer.alloc(100_000)]) {
    writeFileSync(dataFile, content);
    refuses(test, directory, /burgee\.mdb is empty.*Restore/);
  }
});

t.test('a completed store with only LMDB’s head in its data file is refused', async (test) => {
  const { directory, dataFile } = await completedStore(test);
  truncateSync(dataFile, 2 * pageBytesIn(bytesOf(dataFile)));
  refuses(test, directory, /burgee\.mdb is empty.*Restore/);
});

t.test('a completed store whose data file is not LMDB’s is refused', async (test) => {
  const { directory, dataFile } = await completedStore(test);
  writeFileSync(dataFile, 'something else\n'.repeat(1000));
  refuses(test, directory, /not an LMDB file.*Restore/);
});

t.test('a file that is not LMDB’s is refused in a new directory too', async (test) => {
  const directory = temporaryDirectory(test);
  for (const content of ['a', 'something else\n'.repeat(1000)]) {
    writeFileSync(dataFileOf(directory), content);
    refuses(test, directory, /not a data file of Burgee/);
  }
});

t.test('an LMDB file of another program is refused, with and without a marker', async (test) => {
  const { directory, dataFile } = await completedStore(test);
  rmSync(dataFile);
  const foreign = open({ path: dataFile, noSubdir: true });
  const table = foreign.openDB({ name: 'theirs' });
  await table.put('key', 'value');
  await foreign.close();
  refuses(test, directory, /Burgee did not write.*Restore/);
  rmSync(markerFileOf(directory));
  refuses(test, directory, /Burgee did not write.*Move it away/);
});

t.test('a data file truncated at any place is refused', async (test) => {
  const { directory, dataFile, flag } = await completedStore(test);
  const whole = bytesOf(dataFile);
  const page = pageBytesIn(whole);
  test.ok(whole.length > 3 * page);
  for (let bytes = 3 * page; bytes < whole.length; bytes += page) {
    writeFileSync(dataFile, whole.subarray(0, bytes));
    refuses(test, directory, /burgee\.mdb is truncated.*Restore/);
  }
  writeFileSync(dataFile, whole);
  const store = openStore({ directory, mapBytes });
  test.equal(
    store.write(({ queries }) => queries.flag(flag.id)?.name),
    flag.name,
  );
  await store.close();
});

t.test('a data file longer than necessary is accepted', async (test) => {
  const { directory, dataFile, storeId } = await completedStore(test);
  appendFileSync(dataFile, Buffer.alloc(10_000));
  test.equal(await becomesStore(test, directory), storeId);
});

t.test('a lost database is not created again', async (test) => {
  const { directory } = await completedStore(test);
  const root = openRaw(directory);
  root.openDB({ name: 'kept-answers-usage' }).dropSync();
  await root.close();
  test.throws(() => openStore({ directory, mapBytes }), /the table of tables lacks kept-answers-usage/);
  test.throws(() => openStoreReader({ directory, mapBytes }), /lacks tables/);
});

t.test('a store of another format is refused, by its marker or its data file', async (test) => {
  const { directory, marker, storeId } = await completedStore(test);
  writeFileSync(marker, JSON.stringify({ storeId, format: 2 }));
  refuses(
    test,
    directory,
    /store\.json has store format 2.*this version of Burgee reads and writes format 1 only/,
  );
  writeFileSync(marker, JSON.stringify({ storeId, format: 1 }));
  const root = openRaw(directory);
  const meta = createDatabase(root, 'meta');
  meta.putSync(metaKeys.store, identityRecord.encode(metaKeys.store, { id: storeId, format: 2 }));
  await root.close();
  refuses(test, directory, /burgee\.mdb has store format 2.*reads and writes format 1 only/);
});

t.test('a data file with another store’s marker is refused', async (test) => {
  const { directory, marker, storeId } = await completedStore(test);
  writeFileSync(marker, JSON.stringify({ storeId: newId(), format: 1 }));
  refuses(test, directory, new RegExp(`is of store ${storeId}, but store\\.json`));
});

t.test('a damaged marker is refused, and the remedy in the message works', async (test) => {
  const { directory, marker, storeId } = await completedStore(test);
  for (const text of [
    '',
    '{',
    'null',
    '{}',
    '{"storeId":"x","format":1}',
    `{"storeId":"${storeId}","format":"1"}`,
  ]) {
    writeFileSync(marker, text);
    refuses(test, directory, /store\.json is damaged.*delete store\.json/);
  }
  rmSync(marker);
  test.equal(await becomesStore(test, directory), storeId);
});

t.test('a damaged identity is refused', async (test) => {
  const { directory, storeId } = await completedStore(test);
  const root = openRaw(directory);
  const bytes = identityRecord.encode(metaKeys.store, { id: storeId, format: 1 });
  bytes[8] = (bytes[8] ?? 0) ^ 1;
  createDatabase(root, 'meta').putSync(metaKeys.store, bytes);
  await root.close();
  refuses(test, directory, /is damaged: Damaged record meta\/store.*Restore/);
});

t.test('the next opening completes a creation that stopped after any of its steps', async (test) => {
  const id = newId();
  const empty = Buffer.alloc(0);
  const steps: Record<string, (directory: string) => Promise<void>> = {
    'an empty file': async (directory) => writeFileSync(dataFileOf(directory), empty),
    'a file of zeros': async (directory) => writeFileSync(dataFileOf(directory), Buffer.alloc(8192)),
    'LMDB’s head alone': async (directory) => {
      await openRaw(directory).close();
    },
    'half of LMDB’s head': async (directory) => {
      await openRaw(directory).close();
      truncateSync(dataFileOf(directory), pageBytesIn(bytesOf(dataFileOf(directory))));
    },
    'the first table': async (directory) => {
      const root = openRaw(directory);
      createDatabase(root, 'meta');
      await root.close();
    },
    'the identity': async (directory) => {
      const root = openRaw(directory);
      createDatabase(root, 'meta').putSync(
        metaKeys.store,
        identityRecord.encode(metaKeys.store, { id, format: 1 }),
      );
      await root.close();
    },
    'all tables': async (directory) => {
      const root = openRaw(directory);
      createDatabases(root).meta.putSync(
        metaKeys.store,
        identityRecord.encode(metaKeys.store, { id, format: 1 }),
      );
      await root.close();
    },
    'no marker yet': async (directory) => {
      const root = openRaw(directory);
      createDatabases(root).meta.putSync(
        metaKeys.store,
        identityRecord.encode(metaKeys.store, { id, format: 1 }),
      );
      await root.close();
      writeFileSync(`${markerFileOf(directory)}.new`, '{"sto');
    },
  };
  for (const [name, stop] of Object.entries(steps)) {
    await test.test(name, async (step) => {
      const directory = temporaryDirectory(step);
      await stop(directory);
      const storeId = await becomesStore(step, directory);
      if (!name.includes('LMDB') && !name.includes('file') && name !== 'the first table')
        step.equal(storeId, id);
    });
  }
});

t.test('the error names a directory that cannot be created, and what to do', async (test) => {
  const file = join(temporaryDirectory(test), 'file');
  writeFileSync(file, '');
  test.throws(() => openStore({ directory: join(file, 'data'), mapBytes }), StoreError);
  test.throws(
    () => openStore({ directory: join(file, 'data'), mapBytes }),
    /cannot be created.*Choose a directory/,
  );
});

t.test('a data file that is a directory is refused', async (test) => {
  const directory = temporaryDirectory(test);
  mkdirSync(dataFileOf(directory));
  test.throws(() => openStore({ directory, mapBytes }), StoreError);
});

t.test('after SIGKILL during writes, all acknowledged records are there and complete', async (test) => {
  const directory = temporaryDirectory(test);
  const projectId = newId();
  const entry = fileURLToPath(new URL('./support/endless-writer.js', import.meta.url));
  const child = spawn(process.execPath, [entry, directory, projectId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === 200) child.kill('SIGKILL');
  }
  await exited;
  const store = openStore({ directory, mapBytes });
  const reader = openStoreReader({ directory, mapBytes });
  const revisions = Array.from(reader.queries.flagsOf(projectId), ({ revision }) => revision).sort(
    (x, y) => x - y,
  );
  test.ok(acknowledged >= 200);
  test.ok(revisions.length >= acknowledged, `${revisions.length} flags for ${acknowledged} acknowledgements`);
  test.strictSame(
    revisions,
    revisions.map((_, index) => index + 1),
  );
  test.equal([...reader.auditEntries(projectId)].length, revisions.length);
  const others = Array.from(checkStore(directory)).filter(
    ({ what }) => !what.includes(`projects/${projectId}`),
  );
  test.strictSame(others, []);
  await reader.close();
  await store.close();
});
