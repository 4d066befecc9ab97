import t from 'tap';
import type { KeptAnswer } from '../../../src/domain/idempotency/kept-answer.ts';
import { checkStore } from '../../../src/storage/check.ts';
import { newId } from '../../../src/support/random-id.ts';
import { keptAnswerOf, tokenOf } from '../support/records.ts';
import { newStore, writeSample } from '../support/sample-store.ts';

const keep = (after: KeptAnswer) => ({ kind: 'kept-answer', before: null, after }) as const;
const forget = (before: KeptAnswer) => ({ kind: 'kept-answer', before, after: null }) as const;

t.test('a deleted answer leaves nothing, and the last one no usage record either', async (test) => {
  const { store, reader } = newStore(test);
  const token = tokenOf(newId());
  const [first, second] = [keptAnswerOf(token, { key: 'a' }), keptAnswerOf(token, { key: 'b' })];
  store.write(({ apply }) => apply([keep(first), keep(second)]));
  store.write(({ apply }) => apply([forget(first)]));
  test.equal(reader.queries.keptAnswer(token.id, 'a'), undefined);
  test.same(reader.queries.keptAnswersUsage(token.projectId), { entries: 1, bytes: second.bytes });
  store.write(({ apply }) => apply([forget(second)]));
  reader.renew();
  const counts = [...reader.counts()].filter(([name]) => name.startsWith('kept-answers'));
  test.same(
    counts.map(([, count]) => count),
    [0, 0, 0],
  );
});

t.test('projects with kept answers are visited in turn', async (test) => {
  const { store, reader } = newStore(test);
  const answers = Array.from({ length: 3 }, () => keptAnswerOf(tokenOf(newId())));
  store.write(({ apply }) => apply(answers.map(keep)));
  const ids = answers.map(({ projectId }) => projectId).sort();
  const seen: (string | undefined)[] = [];
  let at: string | null = null;
  for (let turn = 0; turn < 4; turn += 1) {
    const next = reader.queries.projectKeepingAnswers(at);
    seen.push(next);
    at = next ?? null;
  }
  test.same(seen, [...ids, undefined]);
});

t.test('an invalid id or key finds nothing, and is never stored', async (test) => {
  const { store, reader } = newStore(test);
  const { token, keptAnswer } = writeSample(store);
  for (const key of ['', 'a b', 'é', 'x'.repeat(256), 'x'.repeat(100_000), '\u0000']) {
    test.equal(reader.queries.keptAnswer(token.id, key), undefined);
    const wrong = { ...keptAnswer, key };
    test.throws(() => store.write(({ apply }) => apply([keep(wrong)])), /idempotency key/);
  }
  for (const id of ['', 'x', '\u0000'.repeat(20)]) {
    test.equal(reader.queries.keptAnswer(id, 'a'), undefined);
    test.same([...reader.queries.keptAnswersOf(id)], []);
    test.same(reader.queries.keptAnswersUsage(id), { entries: 0, bytes: 0 });
  }
});

t.test('check finds more than a project may keep', async (test) => {
  const { directory, store } = newStore(test);
  const { token } = writeSample(store);
  const more = Array.from({ length: 10_000 }, (_, index) => keep(keptAnswerOf(token, { key: `k${index}` })));
  store.write(({ apply }) => apply(more));
  test.match([...checkStore(directory)], [{ what: 'keeps more than a project may' }]);
});
