import t from 'tap';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import { checkStore } from '../../../src/storage/check.ts';
import { createDatabases, openEnvironment } from '../../../src/storage/lmdb/environment.ts';
import { openStore, type Store } from '../../../src/storage/store.ts';
import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { newId } from '../../../src/support/random-id.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { auditEntryOf, creationOf, organisationOf } from '../support/records.ts';
import { mapBytes, newStore } from '../support/sample-store.ts';

const shop = newId();
const blog = newId();
const checkout = newId();

function append(store: Store, ledgerId: string, entries: readonly Partial<AuditEntry>[]): void {
  const changes = entries.map((entry) => ({ kind: 'audit', entry: auditEntryOf(ledgerId, entry) }) as const);
  store.write(({ apply }) => apply(changes));
}

t.test('a ledger is read newest first, below a sequence, and separately from others', async (test) => {
  const { store, reader } = newStore(test);
  const [ledger, other] = [newId(), newId()];
  append(store, other, [{}]);
  append(store, ledger, [{ at: 1 }, { at: 2 }, { at: 3 }]);
  const sequences = (before?: number) =>
    Array.from(reader.queries.auditOf(ledger, before === undefined ? {} : { before }), (it) => it.sequence);
  test.strictSame(sequences(), [3, 2, 1]);
  test.strictSame(sequences(3), [2, 1]);
  test.strictSame(sequences(1), []);
  test.strictSame(sequences(99), [3, 2, 1]);
  test.strictSame([...reader.queries.auditOf('no id')], []);
  const [newest] = reader.queries.auditOf(ledger);
  test.equal(newest?.entry.at, 3);
  const stored = [...reader.auditEntries(ledger)].at(-1);
  test.strictSame(newest?.hash, stored?.hash);
});

t.test('entries about a project or a flag are found without reading the others', async (test) => {
  const { store, reader } = newStore(test);
  const ledger = newId();
  append(store, ledger, [
    { projectId: shop, targetId: checkout },
    { projectId: blog },
    { projectId: shop },
    { projectId: shop, targetId: checkout },
    { projectId: null, targetId: ledger },
  ]);
  const about = (subjectId: string, before?: number) =>
    Array.from(
      reader.queries.auditOf(ledger, before === undefined ? { subjectId } : { subjectId, before }),
      (it) => it.sequence,
    );
  test.strictSame(about(shop), [4, 3, 1]);
  test.strictSame(about(shop, 4), [3, 1]);
  test.strictSame(about(checkout), [4, 1]);
  test.strictSame(about(checkout, 1), []);
  test.strictSame(about(ledger), [5, 4, 3, 2, 1], 'the ledger itself has all entries');
  test.strictSame(about(newId()), []);
  test.strictSame(about('no id'), []);
});

t.test('the old part of a ledger from before the index is scanned, and has no findings', async (test) => {
  const directory = temporaryDirectory(test);
  const organisation = organisationOf();
  const first = openStore({ directory, mapBytes });
  first.write(({ apply }) => apply([creationOf('organisation', organisation)]));
  append(first, organisation.id, [{ projectId: shop }, { projectId: blog }]);
  await first.close();
  const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
  createDatabases(root)['audit-by-subject'].clearSync();
  await root.close();
  test.strictSame([...checkStore(directory)], []);

  const second = openStore({ directory, mapBytes });
  const reader = openStoreReader({ directory, mapBytes });
  test.teardown(async () => {
    await reader.close();
    await second.close();
  });
  const about = (range: { before?: number }) =>
    Array.from(reader.queries.auditOf(organisation.id, { subjectId: shop, ...range }), (it) => it.sequence);
  test.strictSame(about({}), [2, 1], 'all entries');
  append(second, organisation.id, [{ projectId: blog }, { projectId: shop }, { projectId: blog }]);
  reader.renew();
  test.strictSame(about({}), [4, 2, 1], 'the indexed entries, then the others');
  test.strictSame(about({ before: 4 }), [2, 1]);
  test.strictSame(about({ before: 2 }), [1]);
  test.strictSame([...checkStore(directory)], []);
});
