import { randomBytes } from 'node:crypto';
import t from 'tap';
import { BodyMemory } from '../../src/http/body-memory.ts';
import { ArrivedBytes } from '../../src/http/body-reader.ts';
import { transferredBytes } from '../../src/support/message-batch.ts';

const kibi = 1024;
const sizes = [128, 256, 512, 1024].map((size) => size * kibi);
const pieceBytes = 65_000;

function createBudget() {
  let held = 0;
  const take = (bytes: number): boolean => {
    held += bytes;
    return true;
  };
  return { held: () => held, take, give: (bytes: number) => void take(-bytes) };
}

function finish(memory: BodyMemory): void {
  while (memory.run(0));
}

t.test('memory for a long body is prepared in steps, and comes in the size that was asked for', async (t) => {
  let calls = 0;
  const memory = new BodyMemory(() => {
    calls += 1;
  });
  for (const size of sizes) {
    t.equal(memory.sizeFor(size), size);
    t.equal(memory.sizeFor(size - 1), size);
    t.equal(memory.take(size).length, size, 'also before any was prepared');
  }
  t.equal(calls, sizes.length);
  let steps = 1;
  while (memory.run(0)) steps += 1;
  t.ok(steps >= sizes.length * 2, `${steps} slices of one step`);
  t.equal(memory.run(10), false, 'one piece of each size is prepared, and no more');
  const taken = sizes.map((size) => memory.take(size));
  t.strictSame(
    taken.map(({ length }) => length),
    sizes,
  );
  t.equal(calls, 2 * sizes.length, 'what was taken is prepared again');
  const [first] = taken;
  if (first === undefined) throw new Error('no memory was taken');
  memory.give(first);
  t.equal(memory.take(sizes[0] ?? 0), first, 'what is given back is used again');
});

t.test('short bodies, and those that are too long, get memory of their length', async (t) => {
  let calls = 0;
  const memory = new BodyMemory(() => {
    calls += 1;
  });
  for (const bytes of [1, 1000, 64 * kibi, 1024 * kibi + 1]) {
    t.equal(memory.sizeFor(bytes), bytes);
    t.equal(memory.take(bytes).length, bytes);
  }
  t.equal(calls, 0, 'none is prepared for them');
});

t.test('a body has its own bytes in memory that other bodies have used', async (t) => {
  const memory = new BodyMemory(() => undefined);
  for (const length of [10, 65_537, 131_072, 300_000, 524_289, 920_028, 1024 * kibi]) {
    for (const bytesMax of [length, 1024 * kibi]) {
      const body = randomBytes(length);
      const budget = createBudget();
      const arrived = new ArrivedBytes(bytesMax, budget, memory);
      for (let start = 0; start < length; start += pieceBytes) {
        t.ok(arrived.add(body.subarray(start, start + pieceBytes)));
        t.ok(budget.held() >= arrived.length);
      }
      const bytes = arrived.take();
      t.ok(body.equals(bytes), `${length} bytes of at most ${bytesMax}`);
      t.equal(budget.held(), bytes.buffer.byteLength, 'all of its memory counts');
      t.ok(bytes.buffer.byteLength < 2 * length);
      t.strictSame(transferredBytes([bytes]), length > 16 * kibi ? [bytes.buffer] : []);
      arrived.release();
      t.equal(budget.held(), 0);
      finish(memory);
    }
  }
});
