/** A request that comes meanwhile waits so long: less than its own way through the machine takes. */
const leastMs = 0.1;
/** However many requests there are: with what a step may take beyond its budget, less than a millisecond. */
const mostMs = 0.5;
/** Of the time that requests have. */
const share = 0.5;

/**
 * How long work that can wait may go on between two looks at the sockets: hardly anybody notices it where there are few
 * requests, and it keeps its share of the time where there are many.
 * @param sinceMs how long ago it was its turn before
 */
export function sliceBudgetMs(sinceMs: number): number {
  return Math.min(mostMs, Math.max(leastMs, sinceMs * share));
}
