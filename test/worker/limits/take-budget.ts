import { SharedBudget } from '../../../src/worker/limits/shared-budget.ts';
import { inThread } from '../../support/run-threads.ts';

export interface BudgetTaking {
  readonly memory: SharedArrayBuffer;
  readonly max: number;
  readonly rounds: number;
  /** The amounts that each thread takes, in turn. */
  readonly amounts: readonly (readonly number[])[];
  /** Whether a thread gives back at once. */
  readonly isGivenBack: boolean;
}

export interface BudgetTaken {
  readonly taken: number;
  readonly refused: number;
  /** The highest use that was seen. */
  readonly peak: number;
}

inThread((task: BudgetTaking, thread: number): BudgetTaken => {
  const budget = new SharedBudget(task.memory, thread, task.max);
  const amounts = task.amounts[thread] ?? [];
  let [taken, refused, peak] = [0, 0, 0];
  for (let round = 0; round < task.rounds; round += 1) {
    const amount = amounts[round % amounts.length] as number;
    if (!budget.take(amount)) {
      refused += 1;
      continue;
    }
    taken += amount;
    peak = Math.max(peak, budget.used);
    if (task.isGivenBack) budget.give(amount);
  }
  return { taken, refused, peak };
});
