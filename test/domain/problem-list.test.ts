import t from 'tap';
import { ProblemList, shown, shownList } from '../../src/domain/problem-list.ts';
import fc from '../support/fast-check.ts';

t.test('problems are joined in order; after the fiftieth they are only counted', async () => {
  fc.assert(
    fc.property(fc.nat(200), (count) => {
      const problems = new ProblemList();
      for (let index = 0; index < count; index++) problems.add(() => `p${index}`);
      const listed = Array.from({ length: Math.min(count, 50) }, (_, index) => `p${index}`).join('; ');
      return problems.detail() === (count > 50 ? `${listed}; and ${count - 50} more` : listed);
    }),
  );
});

t.test('the text of an unlisted problem is never made', async (t) => {
  const problems = new ProblemList();
  let made = 0;
  for (let index = 0; index < 100_000; index++) problems.add(() => `${made++}`);
  t.equal(made, 50);
  t.equal(problems.count, 100_000);
});

t.test('quoted text is cut at 64 characters and stays valid UTF-8', async (t) => {
  t.equal(shown('x'.repeat(64)), 'x'.repeat(64));
  t.equal(shown('😀'.repeat(65)), `${'😀'.repeat(64)}…`);
  t.equal(shown('\ud800'), '\ufffd');
  t.equal(shownList(['a', 'b']), 'a, b');
  t.match(shownList(Array.from({ length: 60 }, (_, index) => `e${index}`)), / e49 and 10 more$/);
});
