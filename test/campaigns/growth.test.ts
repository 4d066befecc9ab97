import t from 'tap';
import { growthPerHour } from './growth.ts';

t.test('the slope of a line is found despite noise around it', async (t) => {
  const line = Array.from({ length: 100 }, (_, index) => ({ atMs: index * 36_000, value: 5 + index * 2 }));
  t.equal(Math.round(growthPerHour(line)), 200);
  const noisy = line.map(({ atMs, value }, index) => ({ atMs, value: value + (index % 2 === 0 ? 9 : -9) }));
  t.ok(Math.abs(growthPerHour(noisy) - 200) < 5);
});

t.test('constant values have no growth', async (t) => {
  t.equal(growthPerHour([]), 0);
  t.equal(growthPerHour([{ atMs: 1, value: 7 }]), 0);
  t.equal(growthPerHour([1, 2, 3].map((atMs) => ({ atMs, value: 7 }))), 0);
});
