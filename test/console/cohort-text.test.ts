import t from 'tap';
import { parseCohorts, tooLongCohort, withCohorts } from '../../src/console/screens/flag/cohort-text.ts';

t.test('cohorts are pasted one a line or by commas, each once, in the order given', async (t) => {
  t.strictSame(parseCohorts(' b, a\n\r\nc ,b,,'), ['b', 'a', 'c']);
  t.strictSame(parseCohorts(' \n , '), []);
});

t.test('a cohort has at most 256 characters, an emoji being one', async (t) => {
  t.equal(tooLongCohort(['x'.repeat(256), '😀'.repeat(256)]), undefined);
  t.equal(tooLongCohort(['x'.repeat(257)]), 'x'.repeat(257));
});

t.test('what is there stays in front, and nothing is there twice', async (t) => {
  t.strictSame(withCohorts(['b', 'a'], ['a', 'c']), ['b', 'a', 'c']);
});
