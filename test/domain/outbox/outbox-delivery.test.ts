import t from 'tap';
import {
  afterAttempt,
  attemptsMax,
  backOffMaxMs,
  isAttemptDue,
  type OutboxDelivery,
} from '../../../src/domain/outbox/outbox-delivery.ts';

const attempt = { at: 1_000_000, fault: '451 later', settledMemberIds: [], isPermanent: false };

t.test('the wait doubles with each attempt, up to an hour, and the last attempt gives up', async (test) => {
  let delivery: OutboxDelivery | undefined;
  const waits: number[] = [];
  for (let count = 1; count <= attemptsMax; count += 1) {
    delivery = afterAttempt(delivery, attempt);
    waits.push((delivery.nextAttemptAt - attempt.at) / 1000);
    test.equal(delivery.failedAt, count === attemptsMax ? attempt.at : null);
  }
  test.strictSame(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600, 3600]);
});

t.test('a permanently refused mail is given up at once', async (test) => {
  const delivery = afterAttempt(undefined, { ...attempt, isPermanent: true });
  test.equal(delivery.failedAt, attempt.at);
  test.notOk(isAttemptDue(delivery, attempt.at + backOffMaxMs));
});

t.test('an attempt is due at its time, or if the clock has gone back by more than any wait', async (test) => {
  const delivery = afterAttempt(undefined, attempt);
  test.ok(isAttemptDue(undefined, 0));
  test.notOk(isAttemptDue(delivery, delivery.nextAttemptAt - 1));
  test.ok(isAttemptDue(delivery, delivery.nextAttemptAt));
  test.notOk(isAttemptDue(delivery, delivery.nextAttemptAt - backOffMaxMs));
  test.ok(isAttemptDue(delivery, delivery.nextAttemptAt - backOffMaxMs - 1));
});

t.test('settled recipients add up, and an error is cut to the length of a line', async (test) => {
  const first = afterAttempt(undefined, { ...attempt, settledMemberIds: ['a'] });
  const second = afterAttempt(first, {
    ...attempt,
    settledMemberIds: ['a', 'b'],
    fault: `x\r\n${'y'.repeat(999)}`,
  });
  test.strictSame(second.settledMemberIds, ['a', 'b']);
  test.match(second.fault, /^x {2}y+$/);
  test.equal(second.fault.length, 300);
});
