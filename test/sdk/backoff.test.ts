import t from 'tap';
import { Backoff } from '../../src/sdk/connection/backoff.ts';
import { defaultTimings } from '../../src/sdk/timings.ts';

t.test('waits are from 1 to 30 seconds, at random below a bound that doubles', async (t) => {
  const waits = (random: number, count: number): number[] => {
    t.intercept(Math, 'random', { value: () => random, configurable: true });
    const backoff = new Backoff(defaultTimings);
    return Array.from({ length: count }, () => backoff.next(null));
  };
  t.same(waits(0, 6), Array(6).fill(1000));
  t.same(waits(1, 6), [4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

t.test('what the service asks for is waited for beside the random time', async (t) => {
  const wait = new Backoff(defaultTimings).next(60_000);
  t.ok(wait >= 61_000 && wait <= 64_000);
});

t.test('a connection that lasted begins the waits anew', async (t) => {
  const backoff = new Backoff(defaultTimings);
  for (let count = 0; count < 10; count += 1) backoff.next(null);
  backoff.noteEnd(defaultTimings.steadyMs);
  t.ok(backoff.next(null) <= 4000);
});

t.test('of a thousand clients less than half come back in any one second', async (t) => {
  const bySecond = new Map<number, number>();
  for (let client = 0; client < 1000; client += 1) {
    const second = Math.floor(new Backoff(defaultTimings).next(null) / 1000);
    bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
  }
  t.ok(Math.max(...bySecond.values()) < 500);
});
