import type { Comparison } from '../comparison.ts';
import { median } from '../load/statistics.ts';

/** @returns the median over the rounds of a contender's figures. NaN when it has none. */
export function medianOf({ metrics }: Comparison, key: string, contender: string): number {
  return median(metrics.find((metric) => metric.key === key)?.values[contender] ?? []);
}

/** @returns the most requests a second that a contender answered with any driver; medians */
export function fastestOf(comparisons: readonly Comparison[], contender: string): number {
  return Math.max(...comparisons.map((comparison) => medianOf(comparison, 'requestsPerSecond', contender)));
}
