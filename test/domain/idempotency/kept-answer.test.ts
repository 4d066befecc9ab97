import t from 'tap';
import { keptAnswersMax } from '../../../src/domain/bounds.ts';
import { readIdempotencyKey } from '../../../src/domain/idempotency/answer-keeping.ts';
import { fitsIn, isForgettable, keptBytes } from '../../../src/domain/idempotency/kept-answer.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';

const dayMs = 86_400_000;
const at = 1_750_000_000_000;

t.test('an answer is kept for 24 hours, and not a millisecond longer', async (t) => {
  const head = { projectId: 'p', tokenId: 't', key: 'k', keptAt: at, bytes: 1 };
  t.notOk(isForgettable(head, at));
  t.notOk(isForgettable(head, at + dayMs - 1));
  t.ok(isForgettable(head, at + dayMs));
  t.ok(isForgettable(head, at + 365 * dayMs));
  t.notOk(isForgettable(head, at - 365 * dayMs), 'the answer is kept when the clock goes back');
});

t.test('a project keeps 10,000 answers and 64 MiB, and no more', async (t) => {
  t.same(keptAnswersMax, { entries: 10_000, bytes: 67_108_864 });
  t.ok(fitsIn({ entries: 10_000, bytes: 67_108_864 }, keptAnswersMax));
  t.notOk(fitsIn({ entries: 10_001, bytes: 1 }, keptAnswersMax));
  t.notOk(fitsIn({ entries: 1, bytes: 67_108_865 }, keptAnswersMax));
});

t.test('an answer counts the bytes of its UTF-8 and of its key', async (t) => {
  const bare = keptBytes('', '');
  t.equal(keptBytes('key', 'a€😀') - bare, 3 + 1 + 3 + 4);
});

t.test('a key is 1 to 255 visible ASCII characters', async (t) => {
  const read = (header: string | null) => {
    const problems = new ProblemList();
    return [readIdempotencyKey(header, problems), problems.detail()];
  };
  t.same(read(null), [null, '']);
  for (const key of ['a', '!', '~', 'x'.repeat(255), '"quoted"', '__proto__']) t.same(read(key), [key, '']);
  for (const key of ['', ' ', 'a b', 'a, b', 'x'.repeat(256), 'é', '\u007f', '\t', 'a\n', '\u0000']) {
    const [value, problem] = read(key);
    t.equal(value, null);
    t.match(
      problem,
      /^the header Idempotency-Key must be 1 to 255 visible ASCII characters/,
      JSON.stringify(key),
    );
  }
});
