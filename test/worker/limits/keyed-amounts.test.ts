import t from 'tap';
import { createHashSeed } from '../../../src/support/keyed-hash.ts';
import { createKeyedMemory, giveAmountsOf, KeyedAmounts } from '../../../src/worker/limits/keyed-amounts.ts';
import { runThreads } from '../../support/run-threads.ts';
import type { AmountTaking } from './take-amounts.ts';

const threads = 4;

t.test('what fits is not refused because another worker asks for more than there is', async (t) => {
  const memory = createKeyedMemory(threads, 1, createHashSeed());
  const task: AmountTaking = { memory, max: 2, rounds: 50_000, amounts: [1, 1, 100, 1000] };
  const refused = await runThreads(new URL('./take-amounts.js', import.meta.url), threads, task);
  t.same(refused, [0, 0, 50_000, 50_000]);
  const keyed = new KeyedAmounts(memory, 1, 0);
  t.equal(keyed.heldIn(keyed.cellOf(0, 'holder')), 0);
});

t.test('what a worker held is given back when it ends, and others keep theirs', async (t) => {
  const memory = createKeyedMemory(2, 1, createHashSeed());
  const [one, other] = [new KeyedAmounts(memory, 1, 0), new KeyedAmounts(memory, 1, 1)] as const;
  const cell = one.cellOf(0, 'holder');
  t.ok(one.take(cell, 3, 10));
  t.ok(other.take(cell, 7, 10));
  t.notOk(one.take(cell, 1, 10));
  giveAmountsOf(memory, 1, 0);
  t.equal(other.heldIn(cell), 7);
});
