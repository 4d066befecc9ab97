import { SparseTimes } from '../../support/sparse-times.ts';

/**
 * Refusals of one token are recorded at most so often: the program that has it asks again every few seconds, and nothing
 * limits its rate.
 */
const denialEveryMs = 60_000;
/** Tokens of which it is known when they were refused last. */
const deniedTokensMax = 1000;

/** Decides which refusals of those who follow configurations are recorded. */
export function sparseDenials(): SparseTimes {
  return new SparseTimes(denialEveryMs, deniedTokensMax);
}
