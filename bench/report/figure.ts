import type { Comparison, Contender, Metric } from '../comparison.ts';
import { median } from '../load/statistics.ts';

/** What a comparison says of one contender and one metric. */
export interface Figure {
  readonly metric: Metric;
  readonly contender: Contender;
  readonly isBase: boolean;
  /** Of the contender's own values. */
  readonly median: number;
  /** To the base, a round each. Null where a ratio says nothing: to nothing, or of what may be negative. */
  readonly ratios: readonly number[] | null;
  /** Median of the ratios. */
  readonly ratio: number | null;
  /** Of the ratios; where there are none, and of the base, of its own values. Null when one round tells of none. */
  readonly spread: number | null;
  /** Of its own values, whatever the base did meanwhile. */
  readonly ownSpread: number | null;
  /** Whether the spread is too wide for the figure to mean anything. */
  readonly isNoise: boolean;
}

/** A spread over this is called noise. */
export const noiseSpread = 0.2;

/** Largest minus smallest, relative to the median. Null when there is no such thing. */
function relativeSpread(values: readonly number[]): number | null {
  const middle = median(values);
  if (values.length < 2 || middle === 0) return null;
  return (Math.max(...values) - Math.min(...values)) / Math.abs(middle);
}

function ratiosOf(values: readonly number[], base: readonly number[]): readonly number[] | null {
  const isMeaningful = base.every((value) => value > 0) && values.every((value) => value >= 0);
  return isMeaningful ? values.map((value, round) => value / (base[round] ?? Number.NaN)) : null;
}

function figureFor({ base }: Comparison, metric: Metric, contender: Contender): Figure {
  const values = metric.values[contender.name] ?? [];
  const isBase = contender.name === base;
  const ratios = ratiosOf(values, metric.values[base] ?? []);
  const ownSpread = relativeSpread(values);
  const spread = isBase || ratios === null ? ownSpread : relativeSpread(ratios);
  return {
    metric,
    contender,
    isBase,
    median: median(values),
    ratios,
    ratio: ratios === null ? null : median(ratios),
    spread,
    ownSpread,
    // What all contenders of a round suffer alike, their ratios do not show.
    isNoise: !isBase && spread !== null && spread > noiseSpread,
  };
}

/** @returns a figure of each contender and metric, metric by metric */
export function figuresOf(comparison: Comparison): readonly Figure[] {
  return comparison.metrics.flatMap((metric) => figuresOfMetric(comparison, metric));
}

/** @returns a metric's figure of each contender */
export function figuresOfMetric(comparison: Comparison, metric: Metric): readonly Figure[] {
  return comparison.contenders.map((contender) => figureFor(comparison, metric, contender));
}

/** @returns null when the comparison has no such metric or contender */
export function findFigure(comparison: Comparison, metricKey: string, name: string): Figure | null {
  const metric = comparison.metrics.find(({ key }) => key === metricKey);
  const contender = comparison.contenders.find((one) => one.name === name);
  return metric === undefined || contender === undefined ? null : figureFor(comparison, metric, contender);
}
