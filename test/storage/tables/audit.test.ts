import t from 'tap';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import type { Store } from '../../../src/storage/store.ts';
import { newId } from '../../../src/support/random-id.ts';
import { auditEntryOf } from '../support/records.ts';
import { newStore } from '../support/sample-store.ts';

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
