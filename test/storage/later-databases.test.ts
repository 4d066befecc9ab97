import t from 'tap';
import { checkStore } from '../../src/storage/check.ts';
import { idKey, type KeyRange, rangeOf } from '../../src/storage/keys/key-parts.ts';
import { type DatabaseName, laterDatabases } from '../../src/storage/keys.ts';
import { findDatabases, openEnvironment } from '../../src/storage/lmdb/environment.ts';
import { RecordSource } from '../../src/storage/record-source.ts';
import { Snapshots } from '../../src/storage/snapshots.ts';
import { openStore } from '../../src/storage/store.ts';
import { pageUseOf } from '../../src/storage/store-statistics.ts';
import { outboxRecord } from '../../src/storage/tables/outbox.ts';
import { newId } from '../../src/support/random-id.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { mapBytes, writeSample } from './support/sample-store.ts';

/** A store from before this database existed. */
async function storeWithout(t: Test, name: DatabaseName) {
  const directory = temporaryDirectory(t);
  const store = openStore({ directory, mapBytes });
  writeSample(store);
  await store.close();
  const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
  root.openDB({ name }).dropSync();
  await root.close();
  return directory;
}
type Test = Parameters<typeof temporaryDirectory>[0];

t.test('a missing database that was added later reads as empty', async (test) => {
  const directory = await storeWithout(test, 'outbox');
  const root = openEnvironment({ directory, mapBytes, isReadOnly: true });
  test.teardown(() => root.close());
  test.equal(findDatabases(root, laterDatabases), undefined, 'a database of the first format must exist');
  const tables = findDatabases(root, new Set(['outbox']));
  if (tables === undefined) throw new Error('the outbox was added later');
  const snapshots = new Snapshots(root);
  test.teardown(() => snapshots.close());
  const source = new RecordSource(tables, snapshots);
  const range: KeyRange = rangeOf(newId());
  test.equal(source.find(outboxRecord, idKey(newId())), undefined);
  test.same([...source.records(outboxRecord)], []);
  test.same([...source.keys('outbox', range)], []);
  test.equal(source.count('outbox'), 0);
  test.ok(pageUseOf(root, tables).usedPages > 2);
});

t.test('the writer creates missing databases, and nothing else changes', async (test) => {
  const directory = temporaryDirectory(test);
  await openStore({ directory, mapBytes }).close();
  const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
  for (const name of laterDatabases) root.openDB({ name }).dropSync();
  await root.close();
  const store = openStore({ directory, mapBytes });
  test.equal(store.migrated, null);
  await store.close();
  test.same([...checkStore(directory)], []);
});

t.test('a lost database of the first format is not created again', async (test) => {
  const directory = await storeWithout(test, 'outbox');
  test.throws(() => openStore({ directory, mapBytes }), /is damaged: the table of tables lacks outbox/);
});

t.test('nor is one that was added later, if another has taken its place', async (test) => {
  const directory = await storeWithout(test, 'kept-answers-usage');
  const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
  root.openDB({ name: 'kept-answers-usagf' });
  await root.close();
  test.throws(
    () => openStore({ directory, mapBytes }),
    /is damaged: the table of tables lacks kept-answers-usage/,
  );
});
