import t from 'tap';
import { AttemptLimiters, attemptWindowMs } from '../../src/gateway/attempt-limiters.ts';
import { GatewayMeter } from '../../src/gateway/gateway-meter.ts';

/* Sign-in attempts at the edges of their windows: 10 for an account, 50 from an address, in 15 minutes. */
function limitersAt(clock: { value: number }): AttemptLimiters {
  return new AttemptLimiters(new GatewayMeter(), { now: () => clock.value });
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

t.test('the 10th wrong attempt for an account is looked at, the 11th is not, from anywhere', async (t) => {
  const clock = { value: 5000 };
  const limiters = limitersAt(clock);
  t.equal(attemptWindowMs, 15 * 60 * 1000);
  t.strictSame(
    attempts(limiters, 10, () => 'Ada@example.test', '192.0.2.1'),
    nulls(10),
  );
  t.equal(limiters.begin('ada@EXAMPLE.test', '192.0.2.1'), 900, 'in any case of its email');
  t.equal(limiters.begin('ada@example.test', '192.0.2.2'), 900, 'from another address');
  t.equal(limiters.begin('bob@example.test', '192.0.2.1'), null, 'another account is not limited');
  clock.value += attemptWindowMs - 1;
  t.equal(limiters.begin('ada@example.test', '192.0.2.2'), 1);
  clock.value += 1;
  t.equal(limiters.begin('ada@example.test', '192.0.2.2'), null, 'a new window begins at exactly 15 minutes');
});

t.test('the 50th wrong attempt from an address is looked at, the 51st is not, for any account', async (t) => {
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

t.test('an attempt that was right does not count', async (t) => {
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
