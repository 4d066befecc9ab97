import type { Comparison, ResultFile, ScenarioReport } from '../../bench/comparison.ts';
import { LatencyRecorder } from '../../bench/load/latency-histogram.ts';
import type { ContenderPlan } from '../../bench/scenario.ts';

/** @returns a comparison of `burgee` with the base `bare`, with one value for each round */
export function sampleComparison(burgee: readonly number[], bare: readonly number[]): Comparison {
  return {
    id: 'throughput-wrk',
    title: 'One flag',
    driver: 'wrk 4.1.0',
    settings: { connections: 64, flags: 10_000 },
    rounds: burgee.length,
    contenders: [
      { name: 'burgee', what: 'Burgee | itself' },
      { name: 'bare', what: 'The limit' },
    ],
    base: 'bare',
    metrics: [
      {
        key: 'requestsPerSecond',
        label: 'requests a second',
        better: 'more',
        digits: 0,
        values: { burgee, bare },
      },
    ],
  };
}

export function sampleReport(comparison: Comparison): ScenarioReport {
  return { scenario: 'evaluate-flag', comparisons: [comparison], targets: [], missing: [] };
}

export function sampleResult(report: ScenarioReport): ResultFile {
  return {
    format: 1,
    run: {
      at: '2026-01-02T03:04:05.678Z',
      commit: '0123456789abcdef0123456789abcdef01234567',
      isModified: false,
      node: '20.19.0',
      cpu: 'A processor',
      cores: 2,
      memoryBytes: 8 * 2 ** 30,
      kernel: 'Linux 6.1.0',
      command: 'npm run bench -- evaluate-flag',
    },
    report,
  };
}

/** @returns a contender in this process that gives one figure after another */
export function sampleContender(name: string, figures: readonly number[], log: string[] = []): ContenderPlan {
  let round = 0;
  return {
    name,
    what: `gives ${figures.join(', ')}`,
    isWarmedUp: false,
    measure: () => {
      log.push(name);
      const value = figures[round % figures.length] as number;
      round += 1;
      return Promise.resolve({ figures: { perSecond: value } });
    },
  };
}

/** @returns a histogram of latencies, in µs */
export function sampleHistogram(latenciesUs: readonly number[]): string {
  const recorder = new LatencyRecorder();
  for (const us of latenciesUs) recorder.recordMs(us / 1000);
  return recorder.encode();
}
