import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { askElsewhere } from '../measure/ask-elsewhere.ts';
import { compareBuilds } from '../measure/compare-builds.ts';
import { compareLatency } from '../measure/compare-latency.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { fastestOf } from '../measure/median-of.ts';
import { oneFlagQuestion, oneFlagTitle } from '../measure/one-flag-question.ts';
import { findOpenLoopRate } from '../measure/open-loop-rate.ts';
import { listOf, narrowTo } from '../measure/question.ts';
import type { Bench, Scenario, ServerElsewhere } from '../scenario.ts';
import { startCountingServers } from '../servers/counting-servers.ts';
import { halfFlagProject } from '../servers/flag-fixtures.ts';
import { ensureFlags } from '../servers/flags-elsewhere.ts';
import { oneFlagRequests } from '../servers/one-flag-requests.ts';
import { bareLimit, nodeHttpLimit, startOneFlagServers } from '../servers/one-flag-servers.ts';
import { withServers } from '../servers/with-servers.ts';
import { workerArguments } from '../servers/worker-arguments.ts';

const scenario = 'evaluate-flag';
const quickKeys = 1000;
const projectName = 'bench';
const countingSuffix = '-counting';
const ofBurgee = { contender: 'burgee', of: 'ratio' } as const;

/** The targets at 64 connections with wrk. Without wrk the report says that they were not measured. */
const targets: readonly Target[] = [
  {
    ...ofBurgee,
    what: 'throughput against a bare uWebSockets.js answer',
    comparison: 'throughput-wrk',
    metric: 'requestsPerSecond',
    bound: { atLeast: 0.95 },
  },
  {
    ...ofBurgee,
    what: 'server CPU per evaluated request, all threads',
    comparison: 'throughput-wrk',
    metric: 'processCpuUs',
    bound: { atMost: 1.1 },
  },
  {
    ...ofBurgee,
    what: 'p50 at half of the bare throughput',
    comparison: 'latency',
    metric: 'p50Us',
    bound: { atMost: 1.25 },
  },
  {
    ...ofBurgee,
    what: 'p99 at half of the bare throughput',
    comparison: 'latency',
    metric: 'p99Us',
    bound: { atMost: 1.5 },
  },
  ...['counting', 'metrics', 'evaluation-counts'].flatMap(targetsOfCounting),
];

/** Counting may cost under 2 % of the throughput and of the CPU time. */
function targetsOfCounting(contender: string): Target[] {
  const common = { contender, of: 'ratio', comparison: `throughput-wrk${countingSuffix}` } as const;
  return [
    {
      ...common,
      what: `throughput with ${countedBy(contender)}`,
      metric: 'requestsPerSecond',
      bound: { atLeast: 0.98 },
    },
    {
      ...common,
      what: `server CPU per request with ${countedBy(contender)}`,
      metric: 'processCpuUs',
      bound: { atMost: 1.02 },
    },
  ];
}

function countedBy(contender: string): string {
  return contender === 'counting' ? 'metrics and evaluation counts' : contender.replace('-', ' ');
}

/** The cost of counting: Burgee compared with Burgee without its counters. */
function compareCounting(bench: Bench): Promise<Comparison[]> {
  const { connections } = bench.settings;
  return withServers(async (keep) => {
    const question = oneFlagQuestion(bench, {
      ...(await startCountingServers(keep)),
      title: `${oneFlagTitle}: what counting costs`,
      base: 'uncounted',
      connections,
      idSuffix: countingSuffix,
    });
    return await compareThroughput(bench, question);
  });
}

async function runHere(bench: Bench): Promise<ScenarioReport> {
  const comparisons = [...(await compareWithLimits(bench)), ...(await compareCounting(bench))];
  return { scenario, comparisons, targets, missing: [] };
}

function compareWithLimits(bench: Bench): Promise<Comparison[]> {
  const { connections } = bench.settings;
  return withServers(async (keep) => {
    const started = await startOneFlagServers(keep, 1, [bareLimit, nodeHttpLimit]);
    const question = oneFlagQuestion(bench, { ...started, connections });
    const throughput = await compareThroughput(bench, question);
    const halfRate = fastestOf(throughput, 'bare') / 2;
    const rate = await findOpenLoopRate(bench, listOf(question, 'bare'), connections, halfRate);
    const latency = await compareLatency(bench, narrowTo(question, ['burgee', 'bare']), rate);
    return [...throughput, latency];
  });
}

function runBefore(bench: Bench, checkout: string): Promise<ScenarioReport> {
  const keys = bench.settings.isQuick ? quickKeys : undefined;
  return compareBuilds(bench, checkout, {
    scenario,
    title: oneFlagTitle,
    projects: () => [halfFlagProject(projectName)],
    args: workerArguments(1),
    requestsOf: ({ projects }) => oneFlagRequests(projects[projectName]?.flags['half'] ?? '', keys),
    settings: { workers: 1 },
  });
}

async function runElsewhere(bench: Bench, server: ServerElsewhere): Promise<ScenarioReport> {
  const flag = { name: 'bench-half', enabled: true, trafficPercentage: 50 };
  const flagId = (await ensureFlags(server, [flag])).get(flag.name) ?? '';
  const requests = oneFlagRequests(flagId, bench.settings.isQuick ? quickKeys : undefined);
  return await askElsewhere(bench, server, {
    scenario,
    title: oneFlagTitle,
    what: 'One flag, evaluated',
    requests,
    connections: bench.settings.connections,
    settings: { 'targeting keys': requests.length },
  });
}

export const evaluateFlagScenario: Scenario = {
  name: scenario,
  summary: 'one flag, 100,000 targeting keys: against a bare constant answer, node:http, and no counters',
  runsElsewhere: true,
  runsBefore: true,
  run: (bench) => {
    const { elsewhere, checkoutBefore } = bench.settings;
    if (checkoutBefore !== null) return runBefore(bench, checkoutBefore);
    return elsewhere === null ? runHere(bench) : runElsewhere(bench, elsewhere);
  },
};
