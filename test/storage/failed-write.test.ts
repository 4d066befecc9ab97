import t from 'tap';
import { newId } from '../../src/support/random-id.ts';
import { auditEntryOf, flagChangeOf, flagOf, tokenOf } from './support/records.ts';
import { newStore } from './support/sample-store.ts';

const projectId = newId();

t.test('the next transaction does not see the writes of a failed one', async (test) => {
  const { store, reader } = newStore(test);
  const ledgerId = newId();
  const token = tokenOf(projectId);
  const entries = [1, 2, 3].map((at) => auditEntryOf(ledgerId, { at }));
  const [first, failed, second] = entries.map((entry) => ({ kind: 'audit', entry }) as const);
  if (first === undefined || failed === undefined || second === undefined) throw new Error('three entries');
  const renamed = { ...token, name: 'renamed' };
  store.write(({ apply }) => apply([{ kind: 'token', before: null, after: token }, first]));

  const attempt = () =>
    store.write(({ queries, apply }) => {
      apply([{ kind: 'token', before: token, after: renamed }, failed]);
      apply([flagChangeOf(null, flagOf(projectId))]);
      test.strictSame(queries.token(token.id), renamed, 'the transaction sees its own change');
      throw new Error('the disk refuses');
    });
  test.throws(attempt, { message: 'the disk refuses' });
  store.write(({ queries, apply }) => {
    test.strictSame(queries.token(token.id), token, 'the next one sees the stored records');
    apply([second, flagChangeOf(null, flagOf(projectId))]);
  });

  reader.renew();
  const audit = Array.from(reader.auditEntries(ledgerId), ({ sequence, entry }) => [sequence, entry.at]);
  test.strictSame(audit, [
    [1, 1],
    [2, 3],
  ]);
  test.strictSame(
    Array.from(reader.changeLog(), ({ sequence }) => sequence),
    [1],
  );
  test.equal(store.sequence(), 1);
});

t.test('after a record is read, changed and removed, its old state is never seen', async (test) => {
  const { store } = newStore(test);
  const token = tokenOf(projectId);
  const revoked = { ...token, name: 'other' };
  const seen: unknown[] = [];
  const look = () => store.write(({ queries }) => seen.push(queries.token(token.id)?.name));
  store.write(({ apply }) => apply([{ kind: 'token', before: null, after: token }]));
  look();
  look();
  store.write(({ apply }) => apply([{ kind: 'token', before: token, after: revoked }]));
  look();
  store.write(({ apply }) => apply([{ kind: 'token', before: revoked, after: null }]));
  look();
  test.strictSame(seen, [token.name, token.name, 'other', undefined]);
});
