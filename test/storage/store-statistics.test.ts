import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import { openStore } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { readStatistics } from '../../src/storage/store-statistics.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { auditEntryOf, organisationOf } from './support/records.ts';
import { mapBytes, newStore, writeSample } from './support/sample-store.ts';

t.test('the statistics have the number of records and the size of the store', async (test) => {
  const { directory, store, reader } = newStore(test);
  test.strictSame(readStatistics(directory).auditHeads, []);
  test.equal(readStatistics(directory).lastChangeAt, null, 'before the first change');
  const { organisation } = writeSample(store);
  const later = auditEntryOf('z'.repeat(20), { at: 77 });
  store.write(({ apply }) => apply([{ kind: 'audit', entry: later }]));
  const statistics = readStatistics(directory);
  test.match(statistics, { storeId: store.id, format: 1, changeSequence: 3, lastChangeAt: 77 });
  const heads = [organisation.id, later.ledgerId].toSorted().map((ledgerId) => {
    const { sequence = 0, hash = [] } = [...reader.auditEntries(ledgerId)].at(-1) ?? {};
    return { ledgerId, sequence, hash: Buffer.from(hash).toString('hex') };
  });
  test.strictSame(statistics.auditHeads, heads);
  const entries = new Map(statistics.databases.map(({ name, entries }) => [name, entries]));
  test.equal(entries.get('flags'), 1);
  test.equal(entries.get('audit'), 4);
  const { usedPages, freePages, pageBytes, fileBytes } = statistics;
  test.equal(fileBytes, statSync(dataFileOf(directory)).size);
  test.ok((usedPages + freePages) * pageBytes >= fileBytes - pageBytes);
  test.ok(usedPages * pageBytes <= fileBytes);
  const databaseBytes = statistics.databases.reduce((sum, { bytes }) => sum + bytes, 0);
  test.ok(databaseBytes < usedPages * pageBytes);
  test.ok(organisation.id);
});

t.test('deleted records become free pages', async (test) => {
  const { directory, store } = newStore(test);
  const many = Array.from({ length: 2000 }, (_, number) =>
    organisationOf({ name: `organisation ${number}` }),
  );
  store.write(({ apply }) => apply(many.map((after) => ({ kind: 'organisation', before: null, after }))));
  const before = readStatistics(directory);
  store.write(({ apply }) => apply(many.map((it) => ({ kind: 'organisation', before: it, after: null }))));
  const after = readStatistics(directory);
  test.ok(after.usedPages < before.usedPages);
  test.ok(after.freePages > before.freePages);
  test.equal(after.commit, before.commit + 1);
});

t.test('without a store there are no statistics', async (test) => {
  test.throws(() => readStatistics(temporaryDirectory(test)), StoreError);
});

/** A process that keeps a snapshot. */
async function reading(test: Test, directory: string) {
  const entry = fileURLToPath(new URL('./support/pinning-process.js', import.meta.url));
  const child = spawn(process.execPath, [entry, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  test.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid, kill };
}

function commit(store: ReturnType<typeof openStore>, times: number): void {
  for (let time = 0; time < times; time += 1) {
    store.write(({ apply }) => apply([{ kind: 'organisation', before: null, after: organisationOf() }]));
  }
}

t.test('a reader with an old snapshot is listed, and the next write forgets a killed one', async (test) => {
  const directory = temporaryDirectory(test);
  const store = openStore({ directory, mapBytes, deadReadersEveryMs: 0 });
  test.teardown(() => store.close());
  commit(store, 1);
  const { pid, kill } = await reading(test, directory);
  commit(store, 5);
  test.strictSame(readStatistics(directory).readers, { open: 1, oldestLagCommits: 5, oldestPid: pid });
  const grownBy = (commits: number): number => {
    const before = statSync(dataFileOf(directory)).size;
    commit(store, commits);
    return statSync(dataFileOf(directory)).size - before;
  };
  const grownWhileRead = grownBy(200);
  await kill();
  commit(store, 2);
  const grownAfter = grownBy(200);
  test.ok(grownAfter * 4 < grownWhileRead, `${grownAfter} bytes, and ${grownWhileRead} while it was read`);
});
