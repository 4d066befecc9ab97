/**
 * The metrics of Burgee, as data. An actor declares its metrics in its protocol. Their values are cells of one typed
 * array, so that counting is one addition, and each thread that shares the memory can read them.
 *
 * Cells of a metric, series by series: counter, gauge   the value histogram        values up to each bound, not
 * cumulative; values above the last bound; the sum of all values
 */
export interface MetricShape {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  /** The label values of each series, a closed list. By default there is one series without labels. */
  readonly series: readonly Labels[];
  /** For a histogram: inclusive upper bounds, ascending. */
  readonly bounds: readonly number[];
}

export type Labels = Readonly<Record<string, string>>;

/** A metric in a block of cells. */
export interface Metric extends MetricShape {
  readonly firstCell: number;
}

export interface MetricBlock<Name extends string = string> {
  readonly metrics: Readonly<Record<Name, Metric>>;
  readonly cellCount: number;
}

const unlabelled: readonly Labels[] = [{}];

export function counter(name: string, help: string, series = unlabelled): MetricShape {
  return { kind: 'counter', name, help, series, bounds: [] };
}

export function gauge(name: string, help: string): MetricShape {
  return { kind: 'gauge', name, help, series: unlabelled, bounds: [] };
}

export function histogram(
  name: string,
  help: string,
  bounds: readonly number[],
  series = unlabelled,
): MetricShape {
  return { kind: 'histogram', name, help, series, bounds };
}

/** Number of cells of a series. */
export function cellsOfSeries({ kind, bounds }: MetricShape): number {
  return kind === 'histogram' ? bounds.length + 2 : 1;
}

/** Assigns each metric its cells in a block. */
export function layOut<Name extends string>(shapes: Readonly<Record<Name, MetricShape>>): MetricBlock<Name> {
  let cellCount = 0;
  const metrics: Record<string, Metric> = {};
  for (const [key, shape] of Object.entries<MetricShape>(shapes)) {
    metrics[key] = { ...shape, firstCell: cellCount };
    cellCount += shape.series.length * cellsOfSeries(shape);
  }
  return { metrics: metrics as Record<Name, Metric>, cellCount };
}

/** Seconds: from a quarter of a millisecond, about the time of an evaluation, to the longest deadlines. */
export const durationBounds = [
  0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;
