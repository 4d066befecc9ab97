import t from 'tap';
import { StepQueue } from '../../src/streams/step-queue.ts';

/** A job of this many steps of a tenth of a millisecond. */
function* job(steps: number): Generator<void, number> {
  for (let step = 0; step < steps; step += 1) {
    const until = performance.now() + 0.1;
    while (performance.now() < until);
    yield;
  }
  return steps;
}

t.test('a short job overtakes a long one, and each gets its own result or fault', async (t) => {
  const queue = new StepQueue();
  const ended: number[] = [];
  const run = async (steps: number): Promise<void> => {
    t.equal(await queue.run(() => job(steps)), steps);
    ended.push(steps);
  };
  const failed = t.rejects(
    queue.run(() => {
      throw new Error('it fails');
    }),
    { message: 'it fails' },
  );
  await Promise.all([failed, run(5000), run(4000), run(2), run(3)]);
  t.same(ended, [2, 3, 5000, 4000]);
});

t.test('when the queue is closed, its jobs end without a result', async (t) => {
  const queue = new StepQueue();
  let hasEnded = false;
  const running = queue.run(function* () {
    try {
      for (;;) yield;
    } finally {
      hasEnded = true;
    }
  });
  const waiting = queue.run(() => job(1));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  queue.close();
  t.same([await running, await waiting, await queue.run(() => job(1))], [null, null, null]);
  t.equal(hasEnded, true);
});
