import t from 'tap';
import { WindowLimiter } from '../../src/gateway/window-limiter.ts';

const clock = { value: 1000 };
const now = (): number => clock.value;

t.test('exactly the limit is taken in a window, which begins with the first event', async (t) => {
  const limiter = new WindowLimiter(3, { now });
  clock.value = 5000;
  t.same(
    [1, 2, 3, 4, 5].map(() => limiter.take('a')),
    [true, true, true, false, false],
  );
  t.ok(limiter.take('b'), 'each address has a window of its own');
  clock.value = 5000 + 59_999;
  t.notOk(limiter.take('a'));
  t.equal(limiter.retryAfterSeconds('a'), 1);
  clock.value = 5000 + 60_000;
  t.ok(limiter.take('a'), 'a new window begins');
});

t.test('looking counts nothing', async (t) => {
  const limiter = new WindowLimiter(1, { now });
  t.notOk(limiter.isFull('a'));
  t.ok(limiter.take('a'));
  t.ok(limiter.isFull('a'));
  t.equal(limiter.retryAfterSeconds('a'), 60);
  clock.value += 60_000;
  t.notOk(limiter.isFull('a'));
});

t.test('the table is bounded: the least recently seen address is forgotten', async (t) => {
  const limiter = new WindowLimiter(1, { now, addressesMax: 2 });
  limiter.take('a');
  limiter.take('b');
  limiter.take('a');
  limiter.take('c');
  t.equal(limiter.addressCount, 2);
  t.notOk(limiter.take('a'), 'a was seen after b, and is remembered');
  t.ok(limiter.take('b'), 'b was forgotten');
});

t.test('a limit of 0 is no limit', async (t) => {
  const limiter = new WindowLimiter(0, { now });
  for (let event = 0; event < 1000; event += 1) t.ok(limiter.take('a'));
  t.notOk(limiter.isFull('a'));
  t.equal(limiter.addressCount, 0);
});
