import type { Comparison } from '../comparison.ts';
import { type CoreSplit, keepToCores, splitCores } from '../load/cores.ts';
import { type OpenLoopLoad, runOpenLoop } from '../load/open-loop.ts';
import type { Bench, ComparisonPlan, ContenderPlan } from '../scenario.ts';
import { medianOf } from './median-of.ts';
import type { OpenLoopRate } from './open-loop-rate.ts';
import { contenderOf, planOf, type Question } from './question.ts';

export const latencyMetrics: ComparisonPlan['metrics'] = [
  { key: 'p50Us', label: 'p50, µs', better: 'less', digits: 0 },
  { key: 'p90Us', label: 'p90, µs', better: 'less', digits: 0 },
  { key: 'p99Us', label: 'p99, µs', better: 'less', digits: 0 },
  { key: 'p999Us', label: 'p99.9, µs', better: 'less', digits: 0 },
  { key: 'maxUs', label: 'max, µs', better: 'less', digits: 0 },
  { key: 'lateP99Us', label: "generator's own lateness, p99, µs", better: 'less', digits: 0 },
];
/** A generator whose lateness exceeds this part of the measured latency distorts the figures. */
const latenessPartMax = 0.5;

export const ownCore = 'The load generator has a core to itself, and the servers have the others.';

/** Gives the generator its own core, if the servers run on this machine. */
export async function apart<Result>(
  { contenders }: Pick<Question, 'contenders'>,
  run: (split: CoreSplit | null) => Promise<Result>,
): Promise<Result> {
  const pids = contenders.flatMap(({ pid }) => (pid === null ? [] : [pid]));
  const split = pids.length < contenders.length ? null : splitCores();
  if (split === null) return await run(null);
  for (const pid of pids) keepToCores(pid, split.servers);
  try {
    return await run(split);
  } finally {
    for (const pid of pids) keepToCores(pid, [...split.servers, split.generator]);
  }
}

/** Measures latency at a fixed rate, without waiting for answers: comparison `latency`. */
export async function compareLatency(
  bench: Bench,
  question: Question,
  rate: OpenLoopRate,
): Promise<Comparison> {
  return await apart(question, async (split) => {
    const comparison = await bench.compare(planLatency(bench, question, rate, split));
    const remarks = [...(question.remarks ?? []), ...rate.remarks, ...latenessRemarks(comparison)];
    if (split !== null) remarks.push(ownCore);
    return remarks.length === 0 ? comparison : { ...comparison, remarks };
  });
}

function planLatency(
  bench: Bench,
  question: Question,
  { requestsPerSecond }: OpenLoopRate,
  split: CoreSplit | null,
): ComparisonPlan {
  const core = split === null ? {} : { core: split.generator };
  return {
    ...planOf(question, bench.settings),
    id: `latency${question.idSuffix ?? ''}`,
    driver: `open loop at ${requestsPerSecond.toLocaleString('en-GB')} requests a second`,
    metrics: latencyMetrics,
    contenders: question.contenders.map((contender) => ({
      ...contenderOf(contender),
      isWarmedUp: true,
      measure: async (seconds) => {
        const { connections } = question;
        const { list } = contender;
        return await measureLatency({ list, connections, seconds, requestsPerSecond, ...core });
      },
    })),
  };
}

/** One round at a fixed rate. */
export async function measureLatency(load: OpenLoopLoad): ReturnType<ContenderPlan['measure']> {
  const { histogram, p50Us, p90Us, p99Us, p999Us, maxUs, lateP99Us } = await runOpenLoop(load);
  // NaN means that no request found a free connection, so the generator delayed none.
  const late = Number.isNaN(lateP99Us) ? 0 : lateP99Us;
  return { figures: { p50Us, p90Us, p99Us, p999Us, maxUs, lateP99Us: late }, histogram };
}

/** @returns remarks on contenders whose figures the generator's own lateness distorts */
export function latenessRemarks(comparison: Comparison): string[] {
  return comparison.contenders.flatMap(({ name }) => {
    const late = medianOf(comparison, 'lateP99Us', name);
    const p99 = medianOf(comparison, 'p99Us', name);
    if (late <= p99 * latenessPartMax) return [];
    const inWords = (us: number): string => `${Math.round(us).toLocaleString('en-GB')} µs`;
    return [
      `${name}: the load generator itself was late by ${inWords(late)} at the 99th percentile, of ${inWords(p99)} measured; what is above the median says as much about it as about the server.`,
    ];
  });
}
