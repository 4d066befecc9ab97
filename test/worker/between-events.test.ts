import t from 'tap';
import { sliceBudgetMs } from '../../src/worker/between-events.ts';

t.test('a slice is short without other work, and has a share of the time beside much work', async (t) => {
  t.equal(sliceBudgetMs(0), 0.1);
  t.equal(sliceBudgetMs(0.02), 0.1);
  t.equal(sliceBudgetMs(0.6), 0.3);
  t.equal(sliceBudgetMs(8), 0.5);
  t.equal(sliceBudgetMs(Number.POSITIVE_INFINITY), 0.5);
});
