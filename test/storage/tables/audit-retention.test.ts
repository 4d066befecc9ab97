import t, { type Test } from 'tap';
import { checkStore } from '../../../src/storage/check.ts';
import { ownedSequenceKey } from '../../../src/storage/keys/key-parts.ts';
import { createDatabases, openEnvironment } from '../../../src/storage/lmdb/environment.ts';
import { openStore, type Store } from '../../../src/storage/store.ts';
import { openStoreReader } from '../../../src/storage/store-reader.ts';
import { droppedPerCommitMax } from '../../../src/storage/tables/audit-retention.ts';
import { newId } from '../../../src/support/random-id.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { auditEntryOf } from '../support/records.ts';

const mapBytes = 2 ** 28;
const [ledger, other] = ['A'.repeat(20), 'B'.repeat(20)];
const project = newId();
const total = 2 * droppedPerCommitMax + 10;

function append(store: Store, ledgerId: string, from: number, to: number): void {
  store.write(({ apply }) => {
    for (let at = from; at <= to; at += 1) {
      apply([{ kind: 'audit', entry: auditEntryOf(ledgerId, { at, projectId: project }) }]);
    }
  });
}

function begin(t: Test) {
  const directory = temporaryDirectory(t);
  const store = openStore({ directory, mapBytes });
  append(store, ledger, 1, total);
  append(store, other, 1, 1);
  return { directory, store };
}

/** The present sequences, and the newest dropped one, as a reader sees them. */
async function kept(directory: string, ledgerId: string) {
  const reader = openStoreReader({ directory, mapBytes });
  const sequences = Array.from(reader.queries.auditOf(ledgerId), ({ sequence }) => sequence);
  const bySubject = Array.from(
    reader.queries.auditOf(ledgerId, { subjectId: project }),
    ({ sequence }) => sequence,
  );
  const dropped = reader.queries.auditDroppedThrough(ledgerId);
  await reader.close();
  t.strictSame(bySubject, sequences, 'the index lists the present entries');
  return { oldest: sequences.at(-1), newest: sequences[0], count: sequences.length, dropped };
}

t.test('each commit drops a few old entries, and the newest stays', async (t) => {
  const { directory, store } = begin(t);
  const drop = (olderThan: number) => store.write(({ dropAuditEntries }) => dropAuditEntries(olderThan));
  drop(total - 4);
  const first = droppedPerCommitMax;
  t.strictSame(await kept(directory, ledger), {
    oldest: first + 1,
    newest: total,
    count: total - first,
    dropped: first,
  });
  t.strictSame([...checkStore(directory)], [], 'in between, the chain is valid');
  drop(total - 4);
  drop(total - 4);
  t.strictSame(await kept(directory, ledger), {
    oldest: total - 4,
    newest: total,
    count: 5,
    dropped: total - 5,
  });
  drop(total + 1);
  t.strictSame(
    await kept(directory, other),
    { oldest: 1, newest: 1, count: 1, dropped: 0 },
    'one entry stays',
  );
  await store.close();

  const again = openStore({ directory, mapBytes });
  append(again, ledger, total + 1, total + 2);
  await again.close();
  t.match(await kept(directory, ledger), { newest: total + 2, count: 7 });
  t.strictSame([...checkStore(directory)], [], 'and dropping continues after a restart');
});

t.test('entries removed after the dropped ones are found', async (t) => {
  const { directory, store } = begin(t);
  store.write(({ dropAuditEntries }) => dropAuditEntries(10));
  await store.close();
  t.strictSame([...checkStore(directory)], []);
  const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
  createDatabases(root).audit.removeSync(ownedSequenceKey(ledger, 10));
  await root.close();
  const findings = Array.from(checkStore(directory), ({ what }) => what);
  t.match(findings, [/^follows entry 9 of its ledger: entries between them are missing$/]);
});

t.test('entries dropped by a failed transaction are still there', async (t) => {
  const { directory, store } = begin(t);
  t.throws(() =>
    store.write(({ dropAuditEntries }) => {
      dropAuditEntries(total);
      throw new Error('no');
    }),
  );
  t.match(await kept(directory, ledger), { oldest: 1, count: total, dropped: 0 });
  await store.close();
});
