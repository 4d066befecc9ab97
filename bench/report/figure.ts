import type { Comparison, Contender, Metric } from '../comparison.ts';
import { median } from '../load/statistics.ts';

/** The figure of one contender and one metric. */
export interface Figure {
  readonly metric: Metric;
  readonly contender: Contender;
  readonly isBase: boolean;
  /** Median of the contender's own values. */
  readonly median: number;
  /** Ratio to the base in each round. Null where a ratio is meaningless: the base is 0, or values may be negative. */
  readonly ratios: readonly number[] | null;
  /** Median of the ratios. */
  readonly ratio: number | null;
  /** Spread of the ratios; without ratios, and of the base, that of its own values. Null with a single round. */
  readonly spread: number | null;
  /** Spread of its own values, independent of the base. */
  readonly ownSpread: number | null;
  /** Whether the spread is too wide for the figure to mean anything. */
  readonly isNoise: boolean;
}

/** A larger spread is called noise. */
export const noiseSpread = 0.2;

/** Largest minus smallest, relative to the median. Null when that is undefined. */
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
    // A disturbance that slows all contenders of a round alike cancels out in their ratios.
    isNoise: !isBase && spread !== null && spread > noiseSpread,
  };
}

/** @returns the figures of all contenders, metric by metric */
export function figuresOf(comparison: Comparison): readonly Figure[] {
  return comparison.metrics.flatMap((metric) => figuresOfMetric(comparison, metric));
}

/** @returns one metric's figures, of all contenders */
export function figuresOfMetric(comparison: Comparison, metric: Metric): readonly Figure[] {
  return comparison.contenders.map((contender) => figureFor(comparison, metric, contender));
}

/** @returns null when the comparison has no such metric or contender */
export function findFigure(comparison: Comparison, metricKey: string, name: string): Figure | null {
  const metric = comparison.metrics.find(({ key }) => key === metricKey);
  const contender = comparison.contenders.find((one) => one.name === name);
  return metric === undefined || contender === undefined ? null : figureFor(comparison, metric, contender);
}
