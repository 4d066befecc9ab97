import t from 'tap';
import { overrideAfter } from '../../../src/domain/flag/state-fields.ts';

t.test('an environment gets a list of its own only where it differs from what it inherits', async (t) => {
  t.strictSame(overrideAfter(null, ['a', 'b'], ['a']), ['a', 'b']);
  t.equal(overrideAfter(null, ['a'], ['a']), null, 'it goes on inheriting');
  t.strictSame(overrideAfter(['b'], ['a'], ['a']), ['a'], 'a list of its own stays one');
  t.equal(overrideAfter(['b'], [], ['a']), null, 'an empty list inherits');
  t.strictSame(overrideAfter(null, ['b', 'a'], ['a', 'b']), ['b', 'a'], 'the order counts');
});
