import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricType,
  type MetricValueWithName,
  Registry,
} from 'prom-client';
import { cellsOfSeries, type Labels, type Metric, type MetricBlock } from '../observability/metric.ts';
import type { MetricCells } from '../observability/metric-cells.ts';

/** A block of metrics and the function that reads its values. */
export interface MetricSource {
  readonly block: MetricBlock;
  /** Called once for each page. It must end within a bounded time, even when a thread hangs. */
  read(): MetricCells | Promise<MetricCells>;
}

/** A source's series of a metric. Several sources may have series of the same metric. */
interface Part {
  readonly metric: Metric;
  readonly source: MetricSource;
}

interface Series {
  readonly labels: Labels;
  readonly cells: MetricCells;
}

/** The page that Prometheus scrapes. Each scrape reads the cells and hands them to prom-client. */
export class PrometheusText {
  readonly #registry = new Registry();
  readonly #sources: readonly MetricSource[];
  readonly #cells = new Map<MetricSource, MetricCells>();

  constructor(sources: readonly MetricSource[]) {
    this.#sources = sources;
    const parts = new Map<string, Part[]>();
    for (const source of sources) {
      for (const metric of Object.values<Metric>(source.block.metrics)) {
        parts.set(metric.name, [...(parts.get(metric.name) ?? []), { metric, source }]);
      }
    }
    for (const of of parts.values()) this.#register(of);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async render(): Promise<string> {
    const read = async (source: MetricSource): Promise<void> => {
      this.#cells.set(source, await source.read());
    };
    await Promise.all(this.#sources.map(read));
    return this.#registry.metrics();
  }

  #register(parts: readonly Part[]): void {
    const [{ metric }] = parts as [Part];
    const { name, help, kind, bounds } = metric;
    if (kind === 'histogram') {
      const read = (): HistogramReading[] => this.#readHistogram(parts);
      this.#registry.registerMetric(new ReadHistogram({ name, help, bounds }, read));
      return;
    }
    const labelNames = Object.keys(metric.series[0] ?? {});
    const options = { name, help, labelNames, registers: [this.#registry] };
    const seriesOf = (): readonly Series[] => this.#seriesOf(parts);
    if (kind === 'gauge') {
      new Gauge({
        ...options,
        collect() {
          for (const { labels, cells } of seriesOf()) this.set(labels, cells[0] as number);
        },
      });
    } else {
      new Counter({
        ...options,
        collect() {
          this.reset();
          for (const { labels, cells } of seriesOf()) this.inc(labels, cells[0] as number);
        },
      });
    }
  }

  #seriesOf(parts: readonly Part[]): readonly Series[] {
    return parts.flatMap(({ metric, source }) => {
      const cells = this.#cells.get(source);
      const width = cellsOfSeries(metric);
      return metric.series.map((labels, index) => {
        const first = metric.firstCell + index * width;
        return { labels, cells: cells?.subarray(first, first + width) ?? new Float64Array(width) };
      });
    });
  }

  /** Leaves out empty series of a metric with many, such as one for each status of each route. */
  #readHistogram(parts: readonly Part[]): HistogramReading[] {
    const readings = this.#seriesOf(parts).map(({ labels, cells }) => ({
      labels,
      counts: [...cells.subarray(0, -1)],
      sum: cells.at(-1) as number,
    }));
    if (readings.length <= shownWhenEmptyMax) return readings;
    return readings.filter(({ counts }) => counts.some((count) => count > 0));
  }
}

const shownWhenEmptyMax = 8;

/**
 * One series: non-cumulative counts, with one bucket more than there are bounds, and the sum of all values.
 */
interface HistogramReading {
  readonly labels: Labels;
  readonly counts: readonly number[];
  readonly sum: number;
}

/** prom-client uses this string at run time; its types name an enumeration that it does not export. */
const type = 'histogram' as unknown as MetricType;

const collect = (): void => undefined;

type Values = MetricObjectWithValues<MetricValueWithName<string>>;

/**
 * A histogram whose buckets were counted elsewhere. prom-client's own class only takes single observations.
 */
class ReadHistogram extends Histogram {
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

  /** The registry calls this method instead of `get` where it exists. */
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
