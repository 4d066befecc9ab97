import { cellsOfSeries, type Metric, type MetricBlock } from './metric.ts';

/**
 * Values of a block, in shared memory if several threads read them. One thread writes with plain stores;
 * others may read slightly old values, but no torn ones: on Node's platforms an aligned 64-bit store is
 * atomic. No two cells need to agree.
 */
export type MetricCells = Float64Array;

/** @returns memory for a block, all zero, that can be given to a thread */
export function createMetricMemory({ cellCount }: MetricBlock): SharedArrayBuffer {
  return new SharedArrayBuffer(cellCount * Float64Array.BYTES_PER_ELEMENT);
}

/** Sums the cells of threads of one kind, gauges too. */
export function addCells(sum: MetricCells, cells: MetricCells): void {
  for (let cell = 0; cell < sum.length; cell += 1)
    sum[cell] = (sum[cell] as number) + (cells[cell] as number);
}

/** Adds the counts of a thread that has ended, without its gauges. */
export function addCounts(sum: MetricCells, cells: MetricCells, { metrics }: MetricBlock): void {
  for (const metric of Object.values<Metric>(metrics)) {
    if (metric.kind === 'gauge') continue;
    const end = metric.firstCell + metric.series.length * cellsOfSeries(metric);
    for (let cell = metric.firstCell; cell < end; cell += 1) {
      sum[cell] = (sum[cell] as number) + (cells[cell] as number);
    }
  }
}

/** Counts a value in its bucket of a histogram's series. Allocates nothing. */
export function observe(cells: MetricCells, metric: Metric, series: number, value: number): void {
  const { bounds } = metric;
  const first = metric.firstCell + series * (bounds.length + 2);
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
  const sum = first + bounds.length + 1;
  cells[first + bucket] = (cells[first + bucket] as number) + 1;
  cells[sum] = (cells[sum] as number) + value;
}

/** @returns how many values a histogram has observed, in all its series */
export function countEvents(cells: MetricCells, { firstCell, series, bounds }: Metric): number {
  const width = bounds.length + 2;
  let events = 0;
  for (let first = firstCell; first < firstCell + series.length * width; first += width) {
    for (let cell = first; cell <= first + bounds.length; cell += 1) events += cells[cell] as number;
  }
  return events;
}

/** Adds to a counter's series. */
export function count(cells: MetricCells, metric: Metric, series = 0, by = 1): void {
  const cell = metric.firstCell + series;
  cells[cell] = (cells[cell] as number) + by;
}

/** Sets a series to a value that was measured elsewhere. */
export function put(cells: MetricCells, metric: Metric, value: number, series = 0): void {
  cells[metric.firstCell + series] = value;
}
