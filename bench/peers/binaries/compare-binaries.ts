import type { Comparison, Target } from '../../comparison.ts';
import { type ClosedLoopDriver, describeDriver, runClosedLoop } from '../../load/closed-loop.ts';
import { canMeterProcesses, meterProcess } from '../../load/process-meter.ts';
import { cpuMetric, throughputMetric } from '../../measure/compare-throughput.ts';
import { type AskedContender, contenderOf } from '../../measure/question.ts';
import { findFigure } from '../../report/figure.ts';
import type { Bench, ComparisonPlan, Measurement } from '../../scenario.ts';
import { rolloutPercentage, ruleFlags } from './rule-question.ts';

const sizes = [1, 4, 8, 64] as const;
const quickSizes = [1, 8] as const;
const base = 'burgee';

type PlannedMetric = ComparisonPlan['metrics'][number];

/** The metrics in which Burgee is to be ahead of every peer. */
const judgedMetrics: readonly PlannedMetric[] = [
  throughputMetric,
  cpuMetric,
  { key: 'p50Us', label: 'p50, µs', better: 'less', digits: 0 },
  { key: 'p99Us', label: 'p99, µs', better: 'less', digits: 0 },
];
const residentMetric: PlannedMetric = {
  key: 'residentMiB',
  label: 'resident memory, MiB',
  better: 'less',
  digits: 1,
};
const processKeys: ReadonlySet<string> = new Set([cpuMetric.key, residentMetric.key]);

function metricsHere(): readonly PlannedMetric[] {
  const metrics = [...judgedMetrics, residentMetric];
  return canMeterProcesses() ? metrics : metrics.filter(({ key }) => !processKeys.has(key));
}

/** A server that runs on this machine. */
export type LocalContender = AskedContender & { readonly pid: number };

async function measure(
  driver: ClosedLoopDriver,
  { list, pid }: LocalContender,
  connections: number,
  seconds: number,
): Promise<Measurement> {
  const used = meterProcess(pid);
  const { requests, requestsPerSecond, p50Us, p99Us } = await runClosedLoop(driver, {
    list,
    connections,
    seconds,
  });
  const { processUs, residentBytes } = used();
  const figures = { requestsPerSecond, p50Us, p99Us };
  if (!canMeterProcesses()) return figures;
  return { ...figures, processCpuUs: processUs / requests, residentMiB: residentBytes / 2 ** 20 };
}

async function compareOver(
  bench: Bench,
  contenders: readonly LocalContender[],
  connections: number,
): Promise<Comparison> {
  const [driver] = bench.settings.drivers;
  if (driver === undefined) throw new Error('no load generator is available');
  return await bench.compare({
    id: `rules-${connections}`,
    title: `One of ${ruleFlags.length} flags, on for ${rolloutPercentage} % of the callers that a rule on one attribute matches, over ${connections} connection${connections === 1 ? '' : 's'}`,
    base,
    driver: describeDriver(driver),
    settings: {
      connections,
      'seconds a round': bench.settings.seconds,
      users: contenders[0]?.list.requests.length ?? 0,
    },
    metrics: metricsHere(),
    contenders: contenders.map((contender) => ({
      ...contenderOf(contender),
      isWarmedUp: true,
      measure: async (seconds) => ({ figures: await measure(driver, contender, connections, seconds) }),
    })),
  });
}

/** @returns the target that the best of the peers is behind Burgee */
function targetFor(comparison: Comparison, metric: PlannedMetric, peers: readonly string[]): Target[] {
  const isMore = metric.better === 'more';
  const ratios = peers.flatMap((name) => {
    const ratio = findFigure(comparison, metric.key, name)?.ratio ?? null;
    return ratio === null ? [] : [{ name, ratio: isMore ? ratio : -ratio }];
  });
  const [best] = ratios.sort((a, b) => b.ratio - a.ratio);
  if (best === undefined) return [];
  return [
    {
      what: `${metric.label}: the best of the peers, ${best.name}, against Burgee`,
      comparison: comparison.id,
      metric: metric.key,
      contender: best.name,
      of: 'ratio',
      bound: isMore ? { atMost: 1 } : { atLeast: 1 },
    },
  ];
}

/**
 * Compares Burgee with the peers and with a bare answer, over few connections and over many.
 *
 * @param peers names of the contenders that Burgee should be ahead of
 */
export async function compareBinaries(
  bench: Bench,
  contenders: readonly LocalContender[],
  peers: readonly string[],
): Promise<{ readonly comparisons: readonly Comparison[]; readonly targets: readonly Target[] }> {
  const comparisons: Comparison[] = [];
  for (const connections of bench.settings.isQuick ? quickSizes : sizes)
    comparisons.push(await compareOver(bench, contenders, connections));
  const targets = comparisons.flatMap((comparison) =>
    judgedMetrics.flatMap((metric) => targetFor(comparison, metric, peers)),
  );
  return { comparisons, targets };
}
