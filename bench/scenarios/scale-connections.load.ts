import type { Comparison, MissingContender, ScenarioReport } from '../comparison.ts';
import { type ClosedLoopDriver, describeDriver, runClosedLoop } from '../load/closed-loop.ts';
import { canMeterProcesses, meterProcess } from '../load/process-meter.ts';
import type { RequestList } from '../load/request-list.ts';
import { latencyMetrics, latenessRemarks, measureLatency } from '../measure/compare-latency.ts';
import { cpuMetricsHere, remarkOnDriver, throughputMetric } from '../measure/compare-throughput.ts';
import { whileIdle } from '../measure/idle-connections.ts';
import { readOpenFilesMax } from '../measure/open-files.ts';
import type { Bench, BenchSettings, ComparisonPlan, Measurement, Scenario } from '../scenario.ts';
import { halfFlagProject } from '../servers/flag-fixtures.ts';
import { oneFlagRequests } from '../servers/one-flag-requests.ts';
import { startBurgee } from '../servers/start-burgee.ts';
import { withServers } from '../servers/with-servers.ts';

const scenario = 'scale-connections';
const sizes = [1, 10, 100, 1000, 10_000] as const;
const quickSizes = [1, 100] as const;
const quickKeys = 1000;
/** Files that a process has open beside its connections. */
const otherFiles = 500;
/** Safely below the time after which a silent connection is closed. */
const askEveryMs = 6000;
/** Modest, so that one connection can carry it. */
const requestsPerSecond = 2000;
const residentMetric = {
  key: 'residentMiB',
  label: 'resident memory, MiB',
  better: 'less',
  digits: 1,
} as const;

/** A number of connections, and a server that has no others. */
interface Point {
  readonly name: string;
  readonly connections: number;
  readonly busy: number;
  readonly pid: number;
  readonly list: RequestList;
}

function pointName(connections: number): string {
  return `${connections.toLocaleString('en-GB')} connection${connections === 1 ? '' : 's'}`;
}

/** All points, the base among them: as many connections as carry load, and none idle. */
function sizesFor({ isQuick, connections }: BenchSettings): number[] {
  return [...new Set([...(isQuick ? quickSizes : sizes), connections])].sort((a, b) => a - b);
}

function idleOf({ connections, busy, list }: Point): Parameters<typeof whileIdle>[0] {
  return { origin: list.origin, count: connections - busy, askEveryMs };
}

function measureThroughput(
  driver: ClosedLoopDriver,
  point: Point,
  seconds: number,
): Promise<{ readonly figures: Measurement }> {
  return whileIdle(idleOf(point), async (countIdleRequests) => {
    const idleBefore = await countIdleRequests();
    const used = meterProcess(point.pid);
    const load = { list: point.list, connections: point.busy, seconds };
    const { requests, requestsPerSecond: reached } = await runClosedLoop(driver, load);
    const { processUs, mainThreadUs, residentBytes } = used();
    const answered = requests + (await countIdleRequests()) - idleBefore;
    return {
      figures: {
        requestsPerSecond: reached,
        processCpuUs: processUs / answered,
        mainThreadCpuUs: mainThreadUs / answered,
        residentMiB: residentBytes / 2 ** 20,
      },
    };
  });
}

function planFor(
  { settings }: Bench,
  points: readonly Point[],
  measure: (point: Point, seconds: number) => ReturnType<ComparisonPlan['contenders'][number]['measure']>,
): Pick<ComparisonPlan, 'title' | 'base' | 'settings' | 'contenders'> {
  return {
    title: 'One flag at 50 %, over few connections and many, most of them idle',
    base: pointName(settings.connections),
    settings: {
      'connections that carry load, at most': settings.connections,
      'seconds a round': settings.seconds,
      'seconds between two requests of an idle connection': askEveryMs / 1000,
    },
    contenders: points.map((point) => ({
      name: point.name,
      what: `${point.busy} with load, ${(point.connections - point.busy).toLocaleString('en-GB')} idle`,
      x: point.connections,
      isWarmedUp: true,
      measure: (seconds) => measure(point, seconds),
    })),
  };
}

async function compareAll(bench: Bench, points: readonly Point[]): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const driver of bench.settings.drivers) {
    const plan = planFor(bench, points, (point, seconds) => measureThroughput(driver, point, seconds));
    const memory = canMeterProcesses() ? [residentMetric] : [];
    const metrics = [throughputMetric, ...cpuMetricsHere(), ...memory];
    const id = `throughput-${driver}`;
    const comparison = await bench.compare({ ...plan, id, driver: describeDriver(driver), metrics });
    comparisons.push(remarkOnDriver(driver, comparison));
  }
  const plan = planFor(bench, points, (point, seconds) =>
    whileIdle(idleOf(point), () =>
      measureLatency({ list: point.list, connections: point.busy, seconds, requestsPerSecond }),
    ),
  );
  const driver = `open loop at ${requestsPerSecond.toLocaleString('en-GB')} requests a second`;
  const latency = await bench.compare({ ...plan, id: 'latency', driver, metrics: latencyMetrics });
  const remarks = latenessRemarks(latency);
  return [...comparisons, remarks.length === 0 ? latency : { ...latency, remarks }];
}

/** What this machine lets a process open, and what it does not. */
function splitByOpenFiles(wanted: readonly number[]): [possible: number[], missing: MissingContender[]] {
  const filesMax = readOpenFilesMax() ?? Number.POSITIVE_INFINITY;
  const fits = (connections: number): boolean => connections + otherFiles <= filesMax;
  const missing = wanted
    .filter((connections) => !fits(connections))
    .map((connections) => ({
      name: pointName(connections),
      why: `a process may have ${filesMax} files open here; raise the hard limit to ${connections + otherFiles} (ulimit -Hn)`,
    }));
  return [wanted.filter(fits), missing];
}

function run(bench: Bench): Promise<ScenarioReport> {
  const { connections: busyMax, isQuick } = bench.settings;
  const [possible, missing] = splitByOpenFiles(sizesFor(bench.settings));
  return withServers(async (keep) => {
    const points: Point[] = [];
    for (const connections of possible) {
      // A server of its own, whose memory tells of no other point.
      const { origin, pid, provisioned } = await keep(startBurgee([halfFlagProject('bench')]));
      const flagId = provisioned.projects['bench']?.flags['half'] ?? '';
      const requests = oneFlagRequests(flagId, isQuick ? quickKeys : undefined);
      const busy = Math.min(connections, busyMax);
      points.push({ name: pointName(connections), connections, busy, pid, list: { origin, requests } });
    }
    return { scenario, comparisons: await compareAll(bench, points), targets: [], missing };
  });
}

export const scaleConnectionsScenario: Scenario = {
  name: scenario,
  summary: '1 to 10,000 connections, most of them idle: against 64 that all carry load',
  runsElsewhere: false,
  run,
};
