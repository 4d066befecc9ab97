import t from 'tap';
import { overrideAfter } from '../../../src/domain/flag/state-fields.ts';

t.test('an environment gets its own list only if that differs from the inherited one', async (t) => {
  t.strictSame(overrideAfter(null, ['a', 'b'], ['a']), ['a', 'b']);
  t.equal(overrideAfter(null, ['a'], ['a']), null, 'it still inherits');
  t.strictSame(overrideAfter(['b'], ['a'], ['a']), ['a'], 'an own list stays one');
  t.equal(overrideAfter(['b'], [], ['a']), null, 'an empty list inherits');
  t.strictSame(overrideAfter(null, ['b', 'a'], ['a', 'b']), ['b', 'a'], 'the order counts');
});
