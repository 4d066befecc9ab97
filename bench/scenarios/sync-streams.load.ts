import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { describeDriver, runClosedLoop } from '../load/closed-loop.ts';
import { canMeterProcesses, meterProcess } from '../load/process-meter.ts';
import { cpuMetric, throughputMetric } from '../measure/compare-throughput.ts';
import { openMeasured } from '../measure/measured-streams.ts';
import { type HeldStreams, openStreams } from '../measure/sync-streams.ts';
import type { Bench, ContenderPlan, Measurement, Scenario } from '../scenario.ts';
import type { ProvisionedPart } from '../servers/provision-file.ts';
import { type BurgeeProcess, startBurgee } from '../servers/start-burgee.ts';
import { withServers } from '../servers/with-servers.ts';

const scenario = 'sync-streams';
const sizes = [1000, 10_000] as const;
const quickSizes = [10, 20] as const;
const none = 'no streams';
/** High enough for one token: it gets at most a quarter of a worker's part of half of the streams. */
const serveArgs = ['--sync-streams-max', '20000', '--management-rate-limit', '1000000000'];
const flags = Array.from({ length: 100 }, (_, index) => ({
  name: `flag-${index}`,
  enabled: true,
  trafficPercentage: 50,
}));
const project: ProvisionedPart = {
  name: 'synced',
  tokens: [{ name: 'write', permission: 'write' }],
  flags,
};

function nameOf(streams: number): string {
  return streams === 0 ? none : `${streams.toLocaleString('en-GB')} streams`;
}

const reachWithin: Readonly<Record<number, number>> = { 1000: 100, 10000: 1000 };

function targetsFor(streams: number, driver: string): readonly Target[] {
  const contender = nameOf(streams);
  return [
    {
      ...{ what: `throughput with ${contender}, against none`, comparison: `throughput-${driver}` },
      ...{ metric: throughputMetric.key, contender, of: 'ratio', bound: { atLeast: 0.9 } },
    },
    {
      ...{
        what: `until a change reached ${contender}, p99, ms`,
        comparison: 'reach',
        metric: 'p99Ms',
        contender,
      },
      ...{ of: 'value', bound: { atMost: reachWithin[streams] ?? 1000 } },
    },
  ];
}

function heldBy({ origin, provisioned }: BurgeeProcess, count: number): HeldStreams {
  const made = provisioned.projects[project.name];
  const [token, flag] = [made?.tokens['write']?.secret, made?.flags['flag-0']];
  if (made === undefined || token === undefined || flag === undefined) {
    throw new Error('nothing was provisioned');
  }
  return { origin, count, project: made.id, flagdPort: null, token, flag };
}

async function compareThroughput(
  bench: Bench,
  server: BurgeeProcess,
  asked: readonly number[],
): Promise<Comparison> {
  const [driver] = bench.settings.drivers;
  if (driver === undefined) throw new Error('no load generator is available');
  const { connections, rounds } = bench.settings;
  const { flag } = heldBy(server, 0);
  const list = {
    origin: server.origin,
    requests: [{ path: `/v1/flags/${flag}?targetingKey=user-42`, status: 200 }],
  };
  const contenders = [0, ...asked].map(
    (count): ContenderPlan => ({
      name: nameOf(count),
      what: count === 0 ? 'No stream is open' : 'Open streams of one environment, with a beat each 15 s',
      x: count,
      isWarmedUp: true,
      measure: async (seconds) => {
        const streams = count === 0 ? null : await openStreams(heldBy(server, count));
        try {
          const used = canMeterProcesses() ? meterProcess(server.pid) : null;
          const { requests, requestsPerSecond } = await runClosedLoop(driver, { list, connections, seconds });
          const cpu = used === null ? {} : { [cpuMetric.key]: used().processUs / requests };
          return { figures: { [throughputMetric.key]: requestsPerSecond, ...cpu } };
        } finally {
          await streams?.end();
        }
      },
    }),
  );
  return bench.compare({
    id: `throughput-${driver}`,
    title: 'Evaluations of one flag while streams of sync are open',
    driver: describeDriver(driver),
    settings: { connections, 'flags of the configuration': flags.length },
    rounds,
    base: none,
    metrics: [throughputMetric, ...(canMeterProcesses() ? [cpuMetric] : [])],
    contenders,
  });
}

/** Measures a fresh server, because free memory of an earlier round would hide what the streams need. */
function measureReach(count: number): Promise<Measurement> {
  return withServers(async (keep) => {
    const server = await keep(startBurgee([project], { args: serveArgs }));
    const { streams, bytes } = await openMeasured(server.pid, heldBy(server, count));
    try {
      const { p50Ms, p99Ms, allMs } = await streams.change();
      return { p50Ms, p99Ms, allMs, bytes };
    } finally {
      await streams.end();
    }
  });
}

function compareReach(bench: Bench, asked: readonly number[]): Promise<Comparison> {
  const [first = 0] = asked;
  return bench.compare({
    id: 'reach',
    title: 'From the acknowledgement of a change to its arrival at open streams',
    driver: 'a process that holds the streams and makes the changes',
    settings: { 'flags of the configuration': flags.length },
    rounds: Math.min(3, bench.settings.rounds),
    base: nameOf(first),
    metrics: [
      { key: 'p50Ms', label: 'acknowledged change at a stream, p50, ms', better: 'less', digits: 1 },
      { key: 'p99Ms', label: 'p99, ms', better: 'less', digits: 1 },
      { key: 'allMs', label: 'at all streams, p99 of the changes, ms', better: 'less', digits: 1 },
      { key: 'bytes', label: 'memory of the server for each stream, bytes', better: 'less', digits: 0 },
    ],
    contenders: asked.map((count) => ({
      name: nameOf(count),
      what: 'Open streams of one environment, all held by one process',
      x: count,
      isWarmedUp: false,
      measure: async () => ({ figures: await measureReach(count) }),
    })),
  });
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const asked: readonly number[] = bench.settings.isQuick ? quickSizes : sizes;
  const reach = await compareReach(bench, asked);
  return withServers(async (keep) => {
    const server = await keep(startBurgee([project], { args: serveArgs }));
    const comparisons = [reach, await compareThroughput(bench, server, asked)];
    const driver = bench.settings.drivers[0] ?? '';
    const judged = bench.settings.isQuick ? [] : asked;
    return {
      scenario,
      comparisons,
      targets: judged.flatMap((count) => targetsFor(count, driver)),
      missing: [],
    };
  });
}

export const syncStreamsScenario: Scenario = {
  name: scenario,
  summary:
    '1,000 and 10,000 streams of sync: throughput meanwhile, memory, and how soon a change reaches all',
  runsElsewhere: false,
  run,
};
