import t from 'tap';
import type { RecordChange } from '../../src/domain/record-change.ts';
import type { RecordQueries } from '../../src/domain/record-queries.ts';
import { hourMs } from '../../src/domain/usage/evaluation-count.ts';
import type { Store } from '../../src/storage/store.ts';
import { newId } from '../../src/support/random-id.ts';
import { evaluationCountOf, flagChangeOf, keptAnswerOf, tokenOf } from './support/records.ts';
import { newStore, writeSample } from './support/sample-store.ts';

function ask<T>(store: Store, question: (queries: RecordQueries) => T): T {
  return store.write(({ queries }) => question(queries));
}

function fail(store: Store, changes: readonly RecordChange[]): void {
  const fault = new Error('changed its mind');
  try {
    store.write(({ apply }) => {
      apply(changes);
      throw fault;
    });
  } catch (thrown) {
    if (thrown !== fault) throw thrown;
  }
}

t.test('the writer’s cached flag equals the one that a reader finds', async (test) => {
  const { store, reader } = newStore(test);
  const { flag } = writeSample(store);
  const patched = { ...flag, states: new Map(flag.states), cohorts: ['a', '__proto__'], revision: 2 };
  test.strictSame(
    ask(store, (queries) => queries.flag(flag.id)),
    flag,
  );
  store.write(({ apply }) => apply([flagChangeOf(flag, patched)]));
  test.strictSame(
    ask(store, (queries) => queries.flag(flag.id)),
    reader.queries.flag(flag.id),
  );
  fail(store, [flagChangeOf(patched, { ...patched, revision: 3 })]);
  test.strictSame(
    ask(store, (queries) => queries.flag(flag.id)),
    patched,
    'a failed transaction',
  );
  const large = { ...patched, description: 'x'.repeat(5000), revision: 4 };
  store.write(({ apply }) => apply([flagChangeOf(patched, large)]));
  test.strictSame(
    ask(store, (queries) => queries.flag(flag.id)),
    large,
    'too large for the cache',
  );
  store.write(({ apply }) => apply([flagChangeOf(large, null)]));
  test.equal(
    ask(store, (queries) => queries.flag(flag.id)),
    undefined,
  );
});

t.test('a secret leads to its token while the token has it', async (test) => {
  const { store } = newStore(test);
  const token = tokenOf(writeSample(store).project.id);
  const other = { ...token, secretHash: new Uint8Array(32).fill(7), revision: 2 };
  const find = (secretHash: Uint8Array) => ask(store, (queries) => queries.tokenBySecretHash(secretHash));
  test.equal(find(token.secretHash), undefined);
  store.write(({ apply }) => apply([{ kind: 'token', before: null, after: token }]));
  test.strictSame(find(token.secretHash), token);
  fail(store, [{ kind: 'token', before: token, after: other }]);
  test.equal(find(other.secretHash), undefined, 'a failed transaction');
  store.write(({ apply }) => apply([{ kind: 'token', before: token, after: other }]));
  test.equal(find(token.secretHash), undefined);
  test.strictSame(find(other.secretHash), other);
  store.write(({ apply }) => apply([{ kind: 'token', before: other, after: null }]));
  test.equal(find(other.secretHash), undefined);
});

t.test('the absence of kept answers is cached until there is one', async (test) => {
  const { store } = newStore(test);
  const token = tokenOf(writeSample(store).project.id);
  const answer = keptAnswerOf(token, { key: 'other' });
  const first = () => ask(store, (queries) => queries.projectKeepingAnswers(null));
  const sample = first();
  test.equal(sample, token.projectId, 'the sample keeps one');
  const kept = ask(store, (queries) => [...queries.keptAnswersOf(token.projectId)]);
  store.write(({ apply }) =>
    apply(kept.map((before) => ({ kind: 'kept-answer', before, after: null }) as const)),
  );
  test.equal(first(), undefined);
  fail(store, [{ kind: 'kept-answer', before: null, after: answer }]);
  test.equal(first(), undefined, 'a failed transaction');
  store.write(({ queries, apply }) => {
    apply([{ kind: 'kept-answer', before: null, after: answer }]);
    test.equal(queries.projectKeepingAnswers(null), token.projectId, 'within the transaction');
  });
  test.equal(first(), token.projectId);
});

t.test('counts of thousands of flags do not displace the writer’s cached records', async (test) => {
  const { store } = newStore(test);
  const { flag } = writeSample(store);
  const ofFlag = () => ask(store, (queries) => queries.flag(flag.id));
  const before = ofFlag();
  const hour = 1000 * hourMs;
  const counts = Array.from({ length: 9000 }, () => evaluationCountOf(newId(), { hour }));
  for (let turn = 0; turn < 2; turn += 1) {
    store.write(({ apply }) => apply(counts.map((count) => ({ kind: 'evaluation-count', count }) as const)));
  }
  test.equal(ofFlag(), before, 'the same object, so it was not read again');
});
