import type { Comparison, Target } from '../comparison.ts';

/** @returns those whose figure was measured: a driver may not be installed, and a system may not tell CPU times. */
export function targetsOf(targets: readonly Target[], comparisons: readonly Comparison[]): readonly Target[] {
  return targets.filter(({ comparison, metric }) =>
    comparisons.some(({ id, metrics }) => id === comparison && metrics.some(({ key }) => key === metric)),
  );
}
