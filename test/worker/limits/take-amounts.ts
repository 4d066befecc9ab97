import { KeyedAmounts, type KeyedMemory } from '../../../src/worker/limits/keyed-amounts.ts';
import { inThread } from '../../support/run-threads.ts';

export interface AmountTaking {
  readonly memory: KeyedMemory;
  readonly max: number;
  readonly rounds: number;
  /** What each thread takes of one holder's amount, and gives back. */
  readonly amounts: readonly number[];
}

/** @returns how often the thread was refused */
inThread(({ memory, max, rounds, amounts }: AmountTaking, thread: number): number => {
  const keyed = new KeyedAmounts(memory, 1, thread);
  const cell = keyed.cellOf(0, 'holder');
  const amount = amounts[thread] as number;
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    if (keyed.take(cell, amount, max)) keyed.give(cell, amount);
    else refused += 1;
  }
  return refused;
});
