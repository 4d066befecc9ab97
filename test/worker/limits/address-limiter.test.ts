import t from 'tap';
import { addressFromBytes } from '../../../src/worker/limits/address-finder.ts';
import { AddressLimiter } from '../../../src/worker/limits/address-limiter.ts';
import { createWindowMemory } from '../../../src/worker/limits/window-limiter.ts';

const limit = 5;

function limiterAt(clock: { value: number }): AddressLimiter {
  return new AddressLimiter(createWindowMemory(), limit, { now: () => clock.value });
}

/** @returns the key of 2001:db8:<group 3>:<group 4>::<host> */
function keyOf(third: number, fourth: number, host = 1): string {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  for (const [index, group] of [0x2001, 0xdb8, third, fourth].entries()) view.setUint16(index * 2, group);
  bytes[15] = host;
  return addressFromBytes(bytes).limitKey;
}

function taken(limiter: AddressLimiter, keys: readonly string[]): number {
  let count = 0;
  for (const key of keys) while (limiter.take(key)) count += 1;
  return count;
}

const all = (count: number, keyAt: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => keyAt(index));

t.test('addresses of one /64 share its limit', async (t) => {
  const limiter = limiterAt({ value: 1 });
  t.equal(taken(limiter, [keyOf(0, 0, 1), keyOf(0, 0, 2)]), limit);
  t.equal(limiter.isFull(keyOf(0, 0, 3)), true);
  t.equal(limiter.isFull(keyOf(0, 1)), false);
});

t.test('the networks of a /56 share four times the limit, those of a /48 sixteen times', async (t) => {
  const clock = { value: 1 };
  const limiter = limiterAt(clock);
  t.equal(
    taken(
      limiter,
      all(256, (index) => keyOf(0, index)),
    ),
    4 * limit,
  );
  t.equal(limiter.isFull(keyOf(0, 255)), true);
  clock.value += 1000;
  t.equal(
    taken(
      limiter,
      all(256, (index) => keyOf(0, 256 * index)),
    ),
    12 * limit,
    'including earlier requests',
  );
  t.equal(limiter.take(keyOf(0, 0xffff)), false);
  t.equal(limiter.retryAfterSeconds(keyOf(0, 0xffff)), 59, 'until the /48 is free again');
  t.equal(limiter.take(keyOf(1, 0)), true, 'another /48 is not limited');
  clock.value += 59_000;
  t.equal(limiter.take(keyOf(0, 0xffff)), true);
});

t.test('refused and given-back requests count for no network', async (t) => {
  const limiter = limiterAt({ value: 1 });
  for (let turn = 0; turn < 100; turn += 1) {
    t.equal(limiter.take(keyOf(0, turn)), true);
    limiter.giveBack(keyOf(0, turn));
  }
  const first = keyOf(0, 0);
  t.equal(taken(limiter, [first]), limit);
  for (let turn = 0; turn < 100; turn += 1) limiter.take(first);
  t.equal(
    taken(
      limiter,
      all(256, (index) => keyOf(0, index)),
    ),
    3 * limit,
  );
});

t.test('IPv4 addresses share no limit', async (t) => {
  const limiter = limiterAt({ value: 1 });
  const keys = all(100, (index) => addressFromBytes(Uint8Array.of(192, 0, 2, index)).limitKey);
  t.equal(taken(limiter, keys), 100 * limit);
  t.equal(limiter.retryAfterSeconds(keys[0] ?? ''), 60);
});
