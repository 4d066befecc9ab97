import { SparseTimes } from '../support/sparse-times.ts';

/** The least time between two recorded refusals of one token: its program asks again every few seconds. */
const denialEveryMs = 60_000;
/** Tokens whose last refusal is remembered. */
const deniedTokensMax = 1000;

/** Decides which refused requests for streams and snapshots are recorded. */
export function sparseDenials(): SparseTimes {
  return new SparseTimes(denialEveryMs, deniedTokensMax);
}
