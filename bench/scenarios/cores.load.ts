import { availableParallelism } from 'node:os';
import type { Comparison, MissingContender, ScenarioReport, Target } from '../comparison.ts';
import { canMeterProcesses } from '../load/process-meter.ts';
import { comparePaced } from '../measure/compare-paced.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { oneFlagQuestion, oneFlagTitle } from '../measure/one-flag-question.ts';
import { withFastestDriver } from '../measure/with-fastest-driver.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { bareThreadsLimit, startOneFlagServers } from '../servers/one-flag-servers.ts';
import { type KeepServer, withServers } from '../servers/with-servers.ts';

const scenario = 'cores';
const quickCoresMax = 2;
/** Connections of each worker. Each worker gets its own load generator, which uses as much CPU as the worker. */
const connectionsOfWorker = 64;
const pacedWorkers = [1, 2, 4] as const;
const quickPacedWorkers = [1, 2] as const;
const pacedGrowthMax = 1.05;

type Started = Awaited<ReturnType<typeof startOneFlagServers>>;

function inWords(workers: number, what: 'worker' | 'thread'): string {
  return `${workers} ${what}${workers === 1 ? '' : 's'}`;
}

/** @returns 1, 2, 4 and so on below the number of cores, and that number */
function workerCounts(cores: number): readonly number[] {
  const powers = Array.from({ length: 9 }, (_unused, power) => 2 ** power);
  return [...powers.filter((workers) => workers < cores), cores];
}

function throughputTarget(workers: number): Target {
  return {
    what: `throughput of ${inWords(workers, 'worker')} against as many bare threads`,
    comparison: `throughput-wrk-${workers}`,
    metric: 'requestsPerSecond',
    contender: 'burgee',
    of: 'ratio',
    bound: { atLeast: 0.93 },
  };
}

function compareCores(bench: Bench, workers: number): Promise<readonly Comparison[]> {
  return withServers(async (keep) => {
    const question = oneFlagQuestion(bench, {
      ...(await startOneFlagServers(keep, workers, [bareThreadsLimit(workers)])),
      title: `${oneFlagTitle}: ${inWords(workers, 'worker')} and as many bare threads`,
      connections: connectionsOfWorker * workers,
      generators: workers,
      settings: { workers, 'load generators': workers },
      idSuffix: `-${workers}`,
    });
    return await compareThroughput(bench, question);
  });
}

/** Takes the server of this name from each size. */
function pacedPart(
  bench: Bench,
  sizes: ReadonlyMap<number, Started>,
  name: string,
  what: 'worker' | 'thread',
) {
  const contenders = [...sizes].flatMap(([x, started]) =>
    oneFlagQuestion(bench, { ...started, connections: x })
      .contenders.filter((contender) => contender.name === name)
      .map(({ pid, ...contender }) => ({ ...contender, name: inWords(x, what), x, pid: pid as number })),
  );
  const title = `${oneFlagTitle}: CPU per request by the number of ${what}s, each asked as often`;
  return { contenders, base: inWords(1, what), title };
}

async function startSizes(keep: KeepServer, sizes: readonly number[]): Promise<ReadonlyMap<number, Started>> {
  const started = new Map<number, Started>();
  for (const size of sizes)
    started.set(size, await startOneFlagServers(keep, size, [bareThreadsLimit(size)]));
  return started;
}

/** The generators need no cores of their own: one core can send at a much higher rate. */
function comparePacedSizes(bench: Bench): Promise<readonly Comparison[]> {
  return withServers(async (keep) => {
    const sizes = await startSizes(keep, bench.settings.isQuick ? quickPacedWorkers : pacedWorkers);
    return [
      await comparePaced(bench, { id: 'paced', ...pacedPart(bench, sizes, 'burgee', 'worker') }),
      await comparePaced(bench, { id: 'paced-bare', ...pacedPart(bench, sizes, 'bare', 'thread') }),
    ];
  });
}

const pacedTarget: Target = {
  what: 'CPU per request of 4 workers against 1, each at 5,000 requests a second',
  comparison: 'paced',
  metric: 'processCpuUs',
  contender: inWords(4, 'worker'),
  of: 'ratio',
  bound: { atMost: pacedGrowthMax },
};

function missingHere(left: readonly number[], cores: number): readonly MissingContender[] {
  const counts = left.map((workers) => ({
    name: inWords(workers, 'worker'),
    why: `${workers * 2} cores are needed, ${workers} for the workers and as many for the load generators, and this machine has ${cores}`,
  }));
  if (canMeterProcesses()) return counts;
  return [
    ...counts,
    { name: 'CPU per request', why: 'this system does not report the CPU and memory of a process' },
  ];
}

async function run(given: Bench): Promise<ScenarioReport> {
  const bench = withFastestDriver(given);
  const { isQuick } = bench.settings;
  const cores = availableParallelism();
  const counts = workerCounts(isQuick ? Math.min(cores, quickCoresMax) : cores);
  // One worker is measured on any machine, with one generator, as in the other scenarios.
  const possible = counts.filter((workers) => workers === 1 || workers * 2 <= cores);
  const comparisons: Comparison[] = [];
  for (const workers of possible) comparisons.push(...(await compareCores(bench, workers)));
  if (canMeterProcesses()) comparisons.push(...(await comparePacedSizes(bench)));
  const paced = canMeterProcesses() && !isQuick ? [pacedTarget] : [];
  return {
    scenario,
    comparisons,
    targets: [...possible.map(throughputTarget), ...paced],
    missing: missingHere(
      counts.filter((workers) => !possible.includes(workers)),
      cores,
    ),
  };
}

export const coresScenario: Scenario = {
  name: scenario,
  summary: '1 worker to as many as there are cores: against as many bare threads, and paced from 1 to 4',
  runsElsewhere: false,
  run,
};
