import t from 'tap';
import {
  createBudgetMemory,
  giveBackOf,
  SharedBudget,
  usedOf,
} from '../../../src/worker/limits/shared-budget.ts';
import { runThreads } from '../../support/run-threads.ts';
import type { BudgetTaken, BudgetTaking } from './take-budget.ts';

const threads = 4;

function takeOverThreads(task: BudgetTaking): Promise<readonly BudgetTaken[]> {
  return runThreads(new URL('./take-budget.js', import.meta.url), threads, task);
}

const sumOf = (taken: readonly BudgetTaken[]): number => taken.reduce((sum, each) => sum + each.taken, 0);

t.test('all workers together can take up to the maximum', async (t) => {
  const memory = createBudgetMemory(2);
  const [one, other] = [new SharedBudget(memory, 0, 10), new SharedBudget(memory, 1, 10)];
  t.ok(one.take(6));
  t.notOk(other.take(5));
  t.ok(other.take(4));
  t.equal(one.used, 10);
  one.give(6);
  t.ok(other.take(6));
  other.takeAlways(100);
  t.equal(usedOf(memory), 110);
  t.notOk(one.take(0) && one.take(1), 'beyond the maximum no worker can take');
});

t.test("a worker's share is given back when it ends, and the others keep theirs", async (t) => {
  const memory = createBudgetMemory(3);
  const budgets = [0, 1, 2].map((place) => new SharedBudget(memory, place, 100));
  for (const [place, budget] of budgets.entries()) budget.take(10 * (place + 1));
  giveBackOf(memory, 1);
  t.equal(usedOf(memory), 40);
  giveBackOf(memory, 1);
  t.equal(usedOf(memory), 40, 'once');
  const next = new SharedBudget(memory, 1, 100);
  t.ok(next.take(60), 'its slot is reused');
  t.notOk(next.take(1));
});

t.test('threads together take exactly the maximum', async (t) => {
  const memory = createBudgetMemory(threads);
  const amounts = Array.from({ length: threads }, () => [1]);
  const task = { memory, max: 10_000, rounds: 10_000, amounts, isGivenBack: false };
  const taken = await takeOverThreads(task);
  t.equal(sumOf(taken), 10_000);
  t.equal(usedOf(memory), 10_000);
  for (let place = 0; place < threads; place += 1) giveBackOf(memory, place);
  t.equal(usedOf(memory), 0);
});

t.test('given-back bytes are free, and use never exceeded the maximum', async (t) => {
  const memory = createBudgetMemory(threads);
  const amounts = [[1, 2, 3], [5, 1], [7], [2]];
  const taken = await takeOverThreads({ memory, max: 10, rounds: 20_000, amounts, isGivenBack: true });
  t.equal(usedOf(memory), 0);
  for (const { peak } of taken) t.ok(peak <= 10, `${peak} in use at once`);
});

t.test("a request that fits is not refused because of another's excessive request", async (t) => {
  const memory = createBudgetMemory(threads);
  const amounts = [[1], [1], [100], [1000]];
  const taken = await takeOverThreads({ memory, max: 2, rounds: 50_000, amounts, isGivenBack: true });
  t.same(
    taken.map(({ refused }) => refused),
    [0, 0, 50_000, 50_000],
  );
});
