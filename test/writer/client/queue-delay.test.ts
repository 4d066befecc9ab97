import t from 'tap';
import { QueueDelay } from '../../../src/writer/client/queue-delay.ts';

const rememberedMs = 500;

/** A queue after commands that took the given ms each. */
function busyQueue(commands: number, msEach: number): { delay: QueueDelay; now: number } {
  const delay = new QueueDelay(rememberedMs);
  joinAll(delay, commands, 0);
  let now = 0;
  for (let left = commands - 1; left >= 0; left -= 1) {
    now += msEach;
    delay.settle(1, now, left > 0);
  }
  return { delay, now };
}

function joinAll(delay: QueueDelay, commands: number, now: number): void {
  for (let index = 0; index < commands; index += 1) delay.join(now);
}

t.test('without settled commands no delay is expected', (test) => {
  const delay = new QueueDelay(rememberedMs);
  joinAll(delay, 1000, 0);
  test.equal(delay.depth, 1000);
  test.equal(delay.expectedMs, 0);
  test.end();
});

t.test('the expected delay is the queue times the duration of recent commands', (test) => {
  const { delay, now } = busyQueue(1000, 5);
  test.equal(Math.round(delay.expectedMs), 5, 'a command at an empty queue');
  joinAll(delay, 99, now);
  test.equal(Math.round(delay.expectedMs), 500);
  test.end();
});

t.test('idle time does not count', (test) => {
  const { delay, now } = busyQueue(1000, 5);
  joinAll(delay, 2, now + 60_000);
  delay.settle(1, now + 60_005, true);
  delay.settle(1, now + 60_010, false);
  test.equal(Math.round(delay.expectedMs), 5);
  test.end();
});

t.test('commands that are settled together share their time', (test) => {
  const delay = new QueueDelay(rememberedMs);
  joinAll(delay, 6464, 0);
  for (let group = 1; group <= 100; group += 1) delay.settle(64, group * 32, true);
  test.equal(Math.round((delay.expectedMs / (delay.depth + 1)) * 10), 5);
  test.end();
});

t.test('single changes are no measure of how many a commit takes', (test) => {
  const delay = new QueueDelay(rememberedMs);
  for (let index = 0; index < 100; index += 1) {
    delay.join(index * 30);
    delay.settle(1, index * 30 + 30, false);
  }
  joinAll(delay, 300, 3000);
  test.equal(delay.expectedMs, 0);
  test.end();
});

t.test('with fewer samples the expected delay is smaller', (test) => {
  const delay = new QueueDelay(rememberedMs);
  joinAll(delay, 1001, 0);
  delay.settle(1, 50, true);
  test.equal(
    Math.round(delay.expectedMs),
    1001 * 50 * 0.1,
    'a tenth of the samples gives a tenth of the delay',
  );
  for (let now = 100; now <= 3000; now += 50) delay.settle(1, now, true);
  test.equal(Math.round(delay.expectedMs / (delay.depth + 1)), 50);
  test.end();
});

t.test('a short queue shows that the writer is fast again', (test) => {
  const { delay, now } = busyQueue(100, 50);
  let later = now;
  for (let turn = 0; turn < 20; turn += 1) {
    joinAll(delay, 4, later);
    later += 5;
    delay.settle(4, later, false);
  }
  test.ok(delay.expectedMs < 10, `${delay.expectedMs} ms`);
  test.end();
});

t.test('a stalled disk has little effect, and is forgotten', (test) => {
  const { delay, now } = busyQueue(1000, 5);
  joinAll(delay, 99, now);
  delay.settle(1, now + 60_000, true);
  const leftMs = delay.expectedMs;
  test.ok(leftMs < 4 * 99 * 5, `${leftMs} ms for the 98 others`);
  for (let index = 1; index <= 320; index += 1) {
    delay.join(now + 60_000 + index * 5);
    delay.settle(1, now + 60_000 + index * 5, true);
  }
  test.ok(delay.expectedMs < 1.1 * 99 * 5, `${delay.expectedMs} ms`);
  test.end();
});
