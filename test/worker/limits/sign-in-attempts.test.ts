import t from 'tap';
import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import { monotonicMs } from '../../../src/support/monotonic-clock.ts';
import {
  AttemptLimiters,
  type AttemptMemory,
  attemptWindowMs,
} from '../../../src/worker/limits/sign-in-attempts.ts';
import { createWindowMemory } from '../../../src/worker/limits/window-limiter.ts';
import { RequestMeter } from '../../../src/worker/request-meter.ts';
import { requestMetrics } from '../../../src/worker/request-metrics-protocol.ts';
import { runThreads } from '../../support/run-threads.ts';
import type { AttemptTask } from './begin-attempts.ts';

/*
 * Sign-in attempts at the limits of their windows: 10 for an account from one address, 50 from an address, in 15
 * minutes.
 */
function limitersAt(clock: { value: number }, memory = attemptMemory()): AttemptLimiters {
  const meter = new RequestMeter(createMetricMemory(requestMetrics));
  return new AttemptLimiters(memory, meter, { now: () => clock.value });
}

function attemptMemory(): AttemptMemory {
  return { accounts: createWindowMemory(), addresses: createWindowMemory(), pairs: createWindowMemory() };
}

function attempts(
  limiters: AttemptLimiters,
  count: number,
  account: (index: number) => string,
  from: string,
) {
  return Array.from({ length: count }, (_, index) => limiters.begin(account(index), from));
}

const nulls = (count: number): null[] => Array.from({ length: count }, () => null);

t.test('the 10th wrong attempt for an account from an address is checked, the 11th is not', async (t) => {
  const clock = { value: 5000 };
  const limiters = limitersAt(clock);
  t.equal(attemptWindowMs, 15 * 60 * 1000);
  t.strictSame(
    attempts(limiters, 10, () => 'Ada@example.test', '192.0.2.1'),
    nulls(10),
  );
  t.equal(limiters.begin('ada@EXAMPLE.test', '192.0.2.1'), 900, 'with any case of its email');
  t.equal(limiters.begin('ada@example.test', '192.0.2.2'), null, 'another address is not locked out');
  t.equal(limiters.begin('bob@example.test', '192.0.2.1'), null, 'another account is not limited');
  clock.value += attemptWindowMs - 1;
  t.equal(limiters.begin('ada@example.test', '192.0.2.1'), 1);
  clock.value += 1;
  t.equal(limiters.begin('ada@example.test', '192.0.2.1'), null, 'a new window begins at exactly 15 minutes');
});

t.test('the 50th wrong attempt from an address is checked, the 51st is not, for any account', async (t) => {
  const clock = { value: 5000 };
  const limiters = limitersAt(clock);
  t.strictSame(
    attempts(limiters, 50, (index) => `${index}@example.test`, '192.0.2.1'),
    nulls(50),
  );
  t.equal(limiters.begin('ada@example.test', '192.0.2.1'), 900);
  t.equal(limiters.begin('ada@example.test', '192.0.2.2'), null, 'another address is not limited');
  clock.value += attemptWindowMs;
  t.equal(limiters.begin('ada@example.test', '192.0.2.1'), null);
});

t.test(
  'while many addresses guess at an account, each has two attempts, and the member is not locked out',
  async (t) => {
    const clock = { value: 5000 };
    const limiters = limitersAt(clock);
    const guess = (address: number) => limiters.begin('ada@example.test', `198.51.100.${address}`);
    for (let address = 0; address < 10; address += 1) {
      t.strictSame(
        Array.from({ length: 10 }, () => guess(address)),
        nulls(10),
      );
    }
    for (let address = 10; address < 60; address += 1) {
      t.strictSame([guess(address), guess(address), guess(address)], [null, null, 900]);
    }
    for (let turn = 0; turn < 20; turn += 1) {
      t.equal(limiters.begin('ada@example.test', '192.0.2.1'), null, 'the member signs in');
      limiters.giveBack('ada@example.test', '192.0.2.1');
    }
    t.equal(limiters.begin('bob@example.test', '198.51.100.0'), null, 'another account is not limited');
    clock.value += attemptWindowMs;
    t.strictSame([guess(60), guess(60), guess(60)], nulls(3), 'and it ends with the window');
  },
);

t.test('a right attempt does not count', async (t) => {
  const limiters = limitersAt({ value: 5000 });
  for (let round = 0; round < 100; round += 1) {
    t.equal(limiters.begin('ada@example.test', '192.0.2.1'), null);
    limiters.giveBack('ada@example.test', '192.0.2.1');
  }
  t.strictSame(
    attempts(limiters, 10, () => 'ada@example.test', '192.0.2.1'),
    nulls(10),
  );
  t.equal(limiters.begin('ada@example.test', '192.0.2.1'), 900);
});

const threads = 4;

function beginInThreads(task: AttemptTask): Promise<readonly (readonly number[])[]> {
  return runThreads(new URL('./begin-attempts.js', import.meta.url), threads, task);
}

t.test('simultaneous attempts at several workers are counted exactly', async (t) => {
  const tries = Array.from(
    { length: 500 },
    (_, index) => [`${index}@example.test`, `192.0.2.1 ${index}`] as const,
  );
  const memory = attemptMemory();
  const limiters = limitersAt({ value: monotonicMs() }, memory);
  for (const [account, from] of tries) attempts(limiters, 9, () => account, from);
  const begun = await beginInThreads({ memory, tries });
  const tenth = tries.map((_try, index) => begun.reduce((sum, each) => sum + (each[index] ?? 0), 0));
  t.same(
    tenth,
    tries.map(() => 1),
    'of four at once, only the tenth is checked',
  );
});

t.test('and so are attempts from one address', async (t) => {
  const tries = Array.from({ length: 40 }, (_, index) => [`${index}@example.test`, '192.0.2.1'] as const);
  const begun = await beginInThreads({ memory: attemptMemory(), tries });
  t.equal(
    begun.flat().reduce((sum, each) => sum + each, 0),
    50,
  );
});
