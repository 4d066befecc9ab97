import t from 'tap';
import { median, spread } from '../../../bench/load/statistics.ts';

t.test('the median is the middle value, in any order of the values', async (t) => {
  t.equal(median([3, 100, 1]), 3);
  t.equal(median([4, 1, 100, 2]), 3);
  t.equal(median([7]), 7);
  t.ok(Number.isNaN(median([])));
});

t.test('the spread is relative to the median', async (t) => {
  t.equal(spread([90, 100, 115]), 0.25);
  t.equal(spread([5]), 0);
});
