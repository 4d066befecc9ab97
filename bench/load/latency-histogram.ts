import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
  Int32Histogram,
} from 'hdr-histogram-js';

const significantDigits = 3;
/** Longer than any generator waits; a longer latency counts as this. */
const longestUs = 1e8;
const longestNs = longestUs * 1000;

/** Figures of a histogram, in µs. */
export interface LatencySummary {
  readonly count: number;
  readonly meanUs: number;
  readonly maxUs: number;
  /** @param percentile 0 to 100 */
  percentileUs(percentile: number): number;
}

/** Records latencies in ns, with three significant digits. Each takes some 0.1 µs. */
export class LatencyRecorder implements LatencySummary {
  readonly #histogram = new Int32Histogram(1, longestNs, significantDigits);

  recordMs(latencyMs: number): void {
    const ns = Math.round(latencyMs * 1e6);
    this.#histogram.recordValue(ns < 0 ? 0 : Math.min(ns, longestNs));
  }

  get count(): number {
    return this.#histogram.totalCount;
  }

  get meanUs(): number {
    return this.count === 0 ? Number.NaN : this.#histogram.mean / 1000;
  }

  get maxUs(): number {
    return this.count === 0 ? Number.NaN : this.#histogram.maxValue / 1000;
  }

  percentileUs(percentile: number): number {
    return percentileOf(this.#histogram, percentile) / 1000;
  }

  /** @returns a compressed HDR histogram of the latencies in whole µs, base64 */
  encode(): string {
    const rounded = buildMicroseconds();
    const recorded = this.#histogram.recordedValuesIterator;
    recorded.reset();
    while (recorded.hasNext()) {
      const { valueIteratedTo, countAtValueIteratedTo } = recorded.next();
      rounded.recordValueWithCount(Math.round(valueIteratedTo / 1000), countAtValueIteratedTo);
    }
    return encodeIntoCompressedBase64(rounded);
  }
}

/**
 * @param encoded compressed HDR histograms in µs, base64
 * @returns one histogram of all their latencies
 */
export function mergeHistograms(encoded: readonly string[]): string {
  const merged = buildMicroseconds();
  for (const histogram of encoded) merged.add(decodeFromCompressedBase64(histogram, 32, false));
  return encodeIntoCompressedBase64(merged);
}

/** Reads what `LatencyRecorder.encode` or `mergeHistograms` wrote. Without latencies, every figure is NaN. */
export function readHistogram(encoded: string): LatencySummary {
  const histogram = decodeFromCompressedBase64(encoded, 32, false);
  const count = histogram.totalCount;
  return {
    count,
    meanUs: count === 0 ? Number.NaN : histogram.mean,
    maxUs: count === 0 ? Number.NaN : histogram.maxValue,
    percentileUs: (percentile) => percentileOf(histogram, percentile),
  };
}

/** A bucket's upper end may lie above all recorded values: percentiles are capped at the maximum. */
function percentileOf(histogram: Histogram, percentile: number): number {
  if (histogram.totalCount === 0) return Number.NaN;
  return Math.min(histogram.getValueAtPercentile(percentile), histogram.maxValue);
}

function buildMicroseconds(): Histogram {
  return build({
    bitBucketSize: 32,
    lowestDiscernibleValue: 1,
    highestTrackableValue: longestUs,
    numberOfSignificantValueDigits: significantDigits,
  });
}
