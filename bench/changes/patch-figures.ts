import { LatencyRecorder } from '../load/latency-histogram.ts';

/** The figures of one load of repeated changes. */
export interface PatchFigures {
  readonly changes: number;
  readonly changesPerSecond: number;
  readonly meanUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
  /** CPU time per change of the process that made them, all threads. */
  readonly makerCpuUs: number;
  /** Compressed HDR histogram in µs, base64. */
  readonly histogram: string;
}

/** Counts changes from the moment it is constructed. */
export class PatchCounter {
  readonly #latencies = new LatencyRecorder();
  readonly #startedAtMs = performance.now();
  readonly #cpuBefore = process.cpuUsage();

  /** @param beganAtMs when the change was requested, by `performance.now` */
  countChange(beganAtMs: number): void {
    this.#latencies.recordMs(performance.now() - beganAtMs);
  }

  figures(): PatchFigures {
    // Taken first, because reading a histogram takes a while.
    const elapsedMs = performance.now() - this.#startedAtMs;
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    const { count, meanUs } = this.#latencies;
    return {
      changes: count,
      changesPerSecond: (count * 1000) / elapsedMs,
      meanUs,
      p50Us: this.#latencies.percentileUs(50),
      p99Us: this.#latencies.percentileUs(99),
      maxUs: this.#latencies.maxUs,
      makerCpuUs: (user + system) / count,
      histogram: this.#latencies.encode(),
    };
  }
}
