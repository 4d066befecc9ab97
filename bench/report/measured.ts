import type { ResultFile } from '../comparison.ts';
import { figuresOfMetric } from './figure.ts';
import { formatNumber, formatRatio } from './numbers.ts';

/** Names one figure of the saved results. */
export interface Measured {
  readonly scenario: string;
  /** `*` stands for all comparisons of the scenario: the figure is then the range of theirs. */
  readonly comparison: string;
  readonly contender: string;
  readonly metric: string;
  /** The median itself, or its ratio to the base. */
  readonly of: 'value' | 'ratio';
  readonly unit: string;
}

/** @param path `scenario/comparison/contender/metric` */
export function measured(path: string, of: Measured['of'], unit: string): Measured {
  const parts = path.split('/');
  const [scenario = '', comparison = ''] = parts;
  // A contender such as `@openfeature/flagd-core` has a slash of its own.
  return {
    scenario,
    comparison,
    contender: parts.slice(2, -1).join('/'),
    metric: parts.at(-1) ?? '',
    of,
    unit,
  };
}

/** @returns the figure with its unit; null if it was not measured */
export function measuredText(results: readonly ResultFile[], named: Measured): string | null {
  const result = results.find(({ report }) => report.scenario === named.scenario);
  const found = (result?.report.comparisons ?? [])
    .filter(({ id }) => named.comparison === '*' || id === named.comparison)
    .flatMap((comparison) => {
      const metric = comparison.metrics.find(({ key }) => key === named.metric);
      if (metric === undefined) return [];
      const figures = figuresOfMetric(comparison, metric);
      return figures.filter(({ contender }) => contender.name === named.contender);
    })
    .flatMap(({ median, ratio, metric }) => {
      if (named.of === 'value') return [{ value: median, text: formatNumber(median, metric.digits) }];
      return ratio === null ? [] : [{ value: ratio, text: formatRatio(ratio) }];
    })
    .toSorted((a, b) => a.value - b.value);
  const [least, most] = [found[0], found.at(-1)];
  if (least === undefined || most === undefined) return null;
  const range = least.text === most.text ? least.text : `${least.text} to ${most.text}`;
  return `${range} ${named.unit}`.trim();
}
