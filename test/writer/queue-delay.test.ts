import t from 'tap';
import { QueueDelay } from '../../src/writer/queue-delay.ts';

/** A queue whose commands take so many milliseconds each, seen after the last of them. */
function busyQueue(commands: number, msEach: number): { delay: QueueDelay; now: number } {
  const delay = new QueueDelay();
  for (let index = 0; index < commands; index += 1) delay.join(0);
  let now = 0;
  for (let index = 0; index < commands; index += 1) {
    now += msEach;
    delay.settle(1, now);
  }
  return { delay, now };
}

t.test('nothing is expected of a writer that has settled nothing', (test) => {
  const delay = new QueueDelay();
  for (let index = 0; index < 1000; index += 1) delay.join(0);
  test.equal(delay.depth, 1000);
  test.equal(delay.expectedMs, 0);
  test.end();
});

t.test('what is expected is the queue, times what each of the last took', (test) => {
  const { delay, now } = busyQueue(100, 5);
  test.equal(Math.round(delay.expectedMs), 5, 'one that comes to an empty queue');
  for (let index = 0; index < 99; index += 1) delay.join(now);
  test.equal(Math.round(delay.expectedMs), 500);
  test.end();
});

t.test('the time without work does not count', (test) => {
  const { delay, now } = busyQueue(100, 5);
  delay.join(now + 60_000);
  delay.settle(1, now + 60_005);
  test.equal(Math.round(delay.expectedMs), 5);
  test.end();
});

t.test('commands that are settled together share their time', (test) => {
  const delay = new QueueDelay();
  for (let index = 0; index < 640; index += 1) delay.join(0);
  for (let group = 1; group <= 10; group += 1) delay.settle(64, group * 32);
  test.equal(Math.round(delay.expectedMs * 10), 5);
  test.end();
});

t.test('one long wait says little, and is forgotten after some commands', (test) => {
  const { delay, now } = busyQueue(100, 5);
  for (let index = 0; index < 99; index += 1) delay.join(now);
  delay.settle(64, now + 10_000);
  const leftMs = delay.expectedMs;
  test.ok(leftMs < 36 * 5, `${leftMs} ms for the 36 others`);
  let later = now + 10_000;
  delay.settle(35, later + 35 * 5);
  for (let index = 0; index < 320; index += 1) {
    delay.join(later);
    later += 5;
    delay.settle(1, later);
  }
  test.equal(Math.round(delay.expectedMs), 5);
  test.end();
});
