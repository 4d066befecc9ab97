import type { Comparison } from '../comparison.ts';
import type { Bench, ContenderPlan } from '../scenario.ts';
import type { FixedRateChanges } from './fixed-rate-changes.ts';

const keptMetric = {
  key: 'changesKept',
  label: 'changes made of those due',
  better: 'more',
  digits: 3,
} as const;
const keptMin = 0.95;

/**
 * The same bench, with changes during the load. A contender's `x` is the number of changes a second. It adds a metric: the
 * part of the due changes that were made in time.
 */
export function whileChanging(bench: Bench, changes: FixedRateChanges): Bench {
  const changing = (contender: ContenderPlan): ContenderPlan => ({
    ...contender,
    measure: async (seconds) => {
      const { result, made } = await changes.during(contender.x ?? 0, () => contender.measure(seconds));
      const changesKept = made.due === 0 ? 1 : made.changes / made.due;
      return { ...result, figures: { ...result.figures, changesKept } };
    },
  });
  return {
    settings: bench.settings,
    note: (text) => bench.note(text),
    compare: (plan) =>
      bench.compare({
        ...plan,
        metrics: [...plan.metrics, keptMetric],
        contenders: plan.contenders.map(changing),
      }),
  };
}

/** @returns the comparison, with a remark on each contender whose changes fell over 5 % behind their rate */
export function remarkOnChanges(comparison: Comparison): Comparison {
  const kept = comparison.metrics.find(({ key }) => key === keptMetric.key)?.values ?? {};
  const behind = comparison.contenders.flatMap(({ name }) => {
    const least = Math.min(...(kept[name] ?? []));
    if (least >= keptMin) return [];
    return [
      `${name}: the changes fell behind their rate; in the worst round ${(least * 100).toFixed(1)} % of those due were made.`,
    ];
  });
  if (behind.length === 0) return comparison;
  return { ...comparison, remarks: [...(comparison.remarks ?? []), ...behind] };
}
