import type { Comparison } from '../comparison.ts';
import { type ClosedLoopDriver, describeDriver, runClosedLoop } from '../load/closed-loop.ts';
import type { ClosedLoopLoad, ClosedLoopResult } from '../load/closed-loop-load.ts';
import { canMeterProcesses, meterProcess } from '../load/process-meter.ts';
import type { Bench, ComparisonPlan, Measurement } from '../scenario.ts';
import { medianOf } from './median-of.ts';
import { type AskedContender, contenderOf, planOf, type Question } from './question.ts';

type PlannedMetric = ComparisonPlan['metrics'][number];

/** autocannon's own limit in requests a second, on the machines where it was tried. */
const autocannonMost = 40_000;

export const throughputMetric: PlannedMetric = {
  key: 'requestsPerSecond',
  label: 'requests a second',
  better: 'more',
  digits: 0,
};
const flagsMetric: PlannedMetric = {
  key: 'flagsPerSecond',
  label: 'flags in the answers, a second',
  better: 'more',
  digits: 0,
};
export const cpuMetric: PlannedMetric = {
  key: 'processCpuUs',
  label: 'server CPU per request, µs',
  better: 'less',
  digits: 2,
};

function metricsOfThroughput({ contenders, flagsOfAnswer }: Question): readonly PlannedMetric[] {
  return [
    throughputMetric,
    ...(flagsOfAnswer === undefined ? [] : [flagsMetric]),
    ...(canMeterProcesses() && contenders.every(({ pid }) => pid !== null) ? [cpuMetric] : []),
  ];
}

/** Measures a closed loop with each of the drivers: comparisons `throughput-wrk` and so on. */
export async function compareThroughput(bench: Bench, question: Question): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const driver of bench.settings.drivers) {
    const plan = planOf(question, bench.settings);
    const comparison = await bench.compare({
      ...plan,
      id: `throughput-${driver}${question.idSuffix ?? ''}`,
      driver: describeDriver(driver),
      metrics: metricsOfThroughput(question),
      contenders: question.contenders.map((contender) => ({
        ...contenderOf(contender),
        isWarmedUp: true,
        measure: async (seconds) => ({
          figures: await measureThroughput(driver, contender, question, seconds),
        }),
      })),
    });
    comparisons.push(remarkOnDriver(driver, comparison));
  }
  return comparisons;
}

/**
 * @returns the comparison, with a remark if autocannon was the limit for a contender: the ratio of two servers that
 *   both wait for autocannon is 1, however fast each is
 */
export function remarkOnDriver(driver: ClosedLoopDriver, comparison: Comparison): Comparison {
  const { contenders, remarks = [] } = comparison;
  const most = Math.max(...contenders.map(({ name }) => medianOf(comparison, throughputMetric.key, name)));
  if (driver !== 'autocannon' || most < autocannonMost) return comparison;
  const remark = `autocannon itself is the limit above some ${autocannonMost.toLocaleString('en-GB')} requests a second: ratios of contenders near it or over it say more about autocannon than about the servers.`;
  return { ...comparison, remarks: [...remarks, remark] };
}

async function measureThroughput(
  driver: ClosedLoopDriver,
  { list, pid }: AskedContender,
  question: Question,
  seconds: number,
): Promise<Measurement> {
  const { connections, flagsOfAnswer, generators = 1 } = question;
  const used = pid === null || !canMeterProcesses() ? null : meterProcess(pid);
  const { requests, requestsPerSecond } = await runGenerators(
    driver,
    { list, connections: connections / generators, seconds },
    generators,
  );
  const use = used?.();
  return {
    requestsPerSecond,
    ...(flagsOfAnswer === undefined ? {} : { flagsPerSecond: requestsPerSecond * flagsOfAnswer }),
    ...(use === undefined ? {} : { processCpuUs: use.processUs / requests }),
  };
}

/** @returns the sum of what several processes with the same load reached */
async function runGenerators(
  driver: ClosedLoopDriver,
  load: ClosedLoopLoad,
  generators: number,
): Promise<Pick<ClosedLoopResult, 'requests' | 'requestsPerSecond'>> {
  const runs = Array.from({ length: generators }, () => runClosedLoop(driver, load));
  const results = await Promise.all(runs);
  return {
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    requestsPerSecond: results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0),
  };
}
