import t from 'tap';
import { withLock } from '../../src/support/shared-lock.ts';
import type { LockHolding } from './hold-lock.ts';
import { runThreads } from './run-threads.ts';

const threads = 4;

async function hold(locks: number, sections: number, steps: number) {
  const task: LockHolding = {
    locks: new SharedArrayBuffer(4 * locks),
    numbers: new SharedArrayBuffer(8 * locks),
    sections,
    steps,
  };
  const waits = await runThreads<LockHolding, number>(
    new URL('./hold-lock.js', import.meta.url),
    threads,
    task,
  );
  return {
    counted: new Float64Array(task.numbers).reduce((sum, count) => sum + count, 0),
    left: [...new Int32Array(task.locks)],
    waits: waits.reduce((sum, count) => sum + count, 0),
  };
}

t.test('one thread at a time is in a section, for any wait of the others', async (t) => {
  const { counted, left, waits } = await hold(1, 3000, 3000);
  t.equal(counted, threads * 3000, 'no increment was lost');
  t.ok(waits > 0, 'some have slept');
  t.same(left, [0], 'no thread holds the lock at the end');
});

t.test('short sections too', async (t) => {
  const { counted, left } = await hold(1, 200_000, 1);
  t.equal(counted, threads * 200_000);
  t.same(left, [0]);
});

t.test('locks of different cells are independent', async (t) => {
  const { counted, left } = await hold(3, 30_000, 10);
  t.equal(counted, threads * 30_000);
  t.same(left, [0, 0, 0]);
});

t.test("a section's result is returned, and its error releases the lock", async (t) => {
  const cells = new Int32Array(new SharedArrayBuffer(8));
  t.equal(
    withLock(cells, 1, () => (cells[1] === 1 ? 'held' : 'free')),
    'held',
  );
  t.throws(
    () =>
      withLock(cells, 1, () => {
        throw new Error('a fault');
      }),
    /a fault/,
  );
  t.same([...cells], [0, 0]);
});
