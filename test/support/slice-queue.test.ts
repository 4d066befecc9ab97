import t from 'tap';
import { SliceQueue } from '../../src/support/slice-queue.ts';
import type { SlicedWork } from '../../src/support/steps.ts';

function workOf(steps: number, heldBytes = 1): SlicedWork & { done: number } {
  return {
    heldBytes,
    done: 0,
    step() {
      this.done += 1;
      return this.done < steps;
    },
  };
}

t.test('work is done in order: one step without time, all with enough time', async (test) => {
  const queue = new SliceQueue(10, 100);
  const [first, second] = [workOf(3), workOf(2)];
  test.same([queue.add(first), queue.add(second), queue.add(first)], [true, true, true]);
  for (const done of [1, 2, 3]) {
    test.equal(queue.run(0), true);
    test.same([first.done, second.done], [done, 0]);
  }
  test.equal(queue.run(0), true);
  test.equal(queue.run(0), false);
  test.same([second.done, queue.isEmpty], [2, true]);
  test.equal(queue.run(0), false, 'no work is left');
  queue.add(workOf(1000));
  queue.add(workOf(1000));
  test.equal(queue.run(60_000), false);
});

t.test('work beyond the limits of count and bytes is refused until other work is done', async (test) => {
  const queue = new SliceQueue(2, 100);
  test.equal(queue.add(workOf(1, 101)), false);
  test.equal(queue.add(workOf(1, 60)), true);
  test.equal(queue.add(workOf(1, 60)), false);
  test.equal(queue.add(workOf(1, 40)), true);
  test.equal(queue.add(workOf(1, 0)), false);
  queue.run(0);
  test.equal(queue.add(workOf(1, 60)), true);
});

t.test('work that throws has ended', async (test) => {
  const queue = new SliceQueue(2, 100);
  const fails: SlicedWork = {
    heldBytes: 100,
    step() {
      throw new Error('broken');
    },
  };
  queue.add(fails);
  test.throws(() => queue.run(0), /broken/);
  test.equal(queue.run(0), false);
  test.equal(queue.add(workOf(1, 100)), true);
});
