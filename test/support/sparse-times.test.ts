import t from 'tap';
import { SparseTimes } from '../../src/support/sparse-times.ts';

t.test('a key passes once in an interval', async (t) => {
  const times = new SparseTimes(1000, 10);
  t.same(
    [0, 1, 999, 1000, 1500, 2000].map((at) => times.pass('a', at)),
    [true, false, false, true, false, true],
  );
  t.ok(times.pass('b', 2000), 'another key passes');
});

t.test('a clock that was set back keeps nothing out for longer than an interval', async (t) => {
  const times = new SparseTimes(1000, 10);
  t.ok(times.pass('a', 100_000));
  t.notOk(times.pass('a', 99_500));
  t.ok(times.pass('a', 50_000));
});

t.test('what was not recorded after all may pass again', async (t) => {
  const times = new SparseTimes(1000, 10);
  t.ok(times.pass('a', 0));
  times.forget('a');
  t.ok(times.pass('a', 1));
});

t.test('of more keys than are remembered, the one that passed longest ago is forgotten', async (t) => {
  const times = new SparseTimes(1000, 2);
  for (const key of ['a', 'b']) t.ok(times.pass(key, 0));
  t.ok(times.pass('a', 1000), 'it is the newest now');
  t.ok(times.pass('c', 1000));
  t.notOk(times.pass('a', 1001));
  t.ok(times.pass('b', 1001), 'forgotten');
});
