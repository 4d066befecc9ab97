import {
  Histogram,
  type MetricObjectWithValues,
  type MetricType,
  type MetricValueWithName,
} from 'prom-client';
import type { Labels } from '../observability/metric.ts';

/** Counts of one series, by bucket, not added up: one more than there are bounds; and the sum of all values. */
export interface HistogramReading {
  readonly labels: Labels;
  readonly counts: readonly number[];
  readonly sum: number;
}

/** At run time a word; the declarations have an enumeration of numbers that does not exist. */
const type = 'histogram' as unknown as MetricType;

const collect = (): void => undefined;

type Values = MetricObjectWithValues<MetricValueWithName<string>>;

/** A histogram whose buckets were counted elsewhere: prom-client's own only takes one event after another. */
export class ReadHistogram extends Histogram {
  readonly #shape: { readonly name: string; readonly help: string; readonly bounds: readonly number[] };
  readonly #read: () => readonly HistogramReading[];

  constructor(
    shape: { readonly name: string; readonly help: string; readonly bounds: readonly number[] },
    read: () => readonly HistogramReading[],
  ) {
    super({ name: shape.name, help: shape.help, buckets: [...shape.bounds], registers: [] });
    this.#shape = shape;
    this.#read = read;
  }

  override async get(): Promise<Values> {
    const { name, help } = this.#shape;
    const values = this.#read().flatMap((reading) => this.#valuesOf(reading));
    return { name, help, type, aggregator: 'sum', collect, values };
  }

  /** What the registry asks for instead of `get`, if there is such a method. */
  getForPromString(): Promise<Values> {
    return this.get();
  }

  #valuesOf({ labels, counts, sum }: HistogramReading): MetricValueWithName<string>[] {
    const { name, bounds } = this.#shape;
    let total = 0;
    const buckets = counts.map((count, index) => {
      total += count;
      const le = bounds[index] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  }
}
