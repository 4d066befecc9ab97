import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { compareLatency } from '../measure/compare-latency.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { fastestOf } from '../measure/median-of.ts';
import { oneFlagQuestion, oneFlagTitle } from '../measure/one-flag-question.ts';
import { findOpenLoopRate } from '../measure/open-loop-rate.ts';
import { listOf, type Question } from '../measure/question.ts';
import { withFastestDriver } from '../measure/with-fastest-driver.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { bareLimit, startOneFlagServers } from '../servers/one-flag-servers.ts';
import { withServers } from '../servers/with-servers.ts';

const scenario = 'connections';
const sizes = [1, 2, 4, 8, 64, 512] as const;
const quickSizes = [1, 8] as const;

/** The targets of one worker by the number of connections, as ratios to the bare answer. */
const promised: readonly { readonly connections: number; readonly rate: number; readonly cpu: number }[] = [
  { connections: 1, rate: 0.92, cpu: 1.15 },
  { connections: 4, rate: 0.93, cpu: 1.15 },
  { connections: 8, rate: 0.93, cpu: 1.12 },
  { connections: 64, rate: 0.95, cpu: 1.1 },
];
const p50AtMost = 1.25;
const p99AtMost = 1.5;

function inWords(connections: number): string {
  return `${connections} connection${connections === 1 ? '' : 's'}`;
}

function targetsFor({ connections, rate, cpu }: (typeof promised)[number]): readonly Target[] {
  const throughput = {
    contender: 'burgee',
    of: 'ratio',
    comparison: `throughput-wrk-${connections}`,
  } as const;
  const latency = { contender: 'burgee', of: 'ratio', comparison: `latency-${connections}` } as const;
  const over = inWords(connections);
  return [
    { ...throughput, what: `throughput over ${over}`, metric: 'requestsPerSecond', bound: { atLeast: rate } },
    { ...throughput, what: `CPU per request over ${over}`, metric: 'processCpuUs', bound: { atMost: cpu } },
    { ...latency, what: `p50 at half load over ${over}`, metric: 'p50Us', bound: { atMost: p50AtMost } },
    { ...latency, what: `p99 at half load over ${over}`, metric: 'p99Us', bound: { atMost: p99AtMost } },
  ];
}

async function compareOver(bench: Bench, question: Question): Promise<readonly Comparison[]> {
  const throughput = await compareThroughput(bench, question);
  const halfRate = fastestOf(throughput, question.base) / 2;
  const list = listOf(question, question.base);
  const rate = await findOpenLoopRate(bench, list, question.connections, halfRate);
  return [...throughput, await compareLatency(bench, question, rate)];
}

function run(given: Bench): Promise<ScenarioReport> {
  const bench = withFastestDriver(given);
  const asked: readonly number[] = bench.settings.isQuick ? quickSizes : sizes;
  return withServers(async (keep) => {
    const started = await startOneFlagServers(keep, 1, [bareLimit]);
    const comparisons: Comparison[] = [];
    for (const connections of asked) {
      const title = `${oneFlagTitle}, over ${inWords(connections)}`;
      const question = { ...started, title, connections, idSuffix: `-${connections}` };
      comparisons.push(...(await compareOver(bench, oneFlagQuestion(bench, question))));
    }
    const judged = promised.filter(({ connections }) => asked.includes(connections));
    return { scenario, comparisons, targets: judged.flatMap(targetsFor), missing: [] };
  });
}

export const connectionsScenario: Scenario = {
  name: scenario,
  summary: '1, 2, 4, 8, 64 and 512 connections, one worker: against a bare constant answer over as many',
  runsElsewhere: false,
  run,
};
