import { availableParallelism } from 'node:os';
import { askAll } from '../changes/ask-all.ts';
import type { Comparison, MissingContender, ScenarioReport, Target } from '../comparison.ts';
import type { ClosedLoopDriver } from '../load/closed-loop.ts';
import { canMeterProcesses, readResidentBytes } from '../load/process-meter.ts';
import type { BenchRequest } from '../load/request-list.ts';
import { readAnonymousBytes } from '../measure/anonymous-memory.ts';
import { compareLatency } from '../measure/compare-latency.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { fastestOf } from '../measure/median-of.ts';
import { findOpenLoopRate } from '../measure/open-loop-rate.ts';
import { listOf, planOf, type Question } from '../measure/question.ts';
import { startUpMetrics, timeStartUp } from '../measure/time-start-up.ts';
import type { Bench, ComparisonPlan, Scenario } from '../scenario.ts';
import { type BenchDirectory, makeDirectory } from '../servers/bench-directory.ts';
import { mixedProvision } from '../servers/flag-fixtures.ts';
import { findMixedFlag, mixedRequests } from '../servers/mixed-requests.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import { serveDirectory } from '../servers/start-burgee.ts';
import { withServers } from '../servers/with-servers.ts';
import { workerArguments } from '../servers/worker-arguments.ts';

const scenario = 'scale-flags';
const flagCounts = [100, 1000, 10_000, 100_000, 1_000_000] as const;
const quickFlagsMax = 1000;
const requestsHere = 100_000;
const quickRequests = 1000;
const seed = 20_260_105;
const MiB = 2 ** 20;
/** Both are the settings' defaults. They are set explicitly, because the bound on memory is computed from them. */
const cacheMiB = 256;
const workers = availableParallelism();
const serveArgs = argumentsFor(workers);
/** Numbers of workers with which the memory of the smallest and of the largest store is compared. */
const workerCounts = [1, 4] as const;
/** Allowance for garbage that a busy process has not collected yet. */
const allowanceMiB = 128;

function argumentsFor(count: number): readonly string[] {
  return ['--cache-bytes', `${cacheMiB * count}MiB`, ...workerArguments(count)];
}

/** A data directory with `flags` flags, and the requests to its server. */
interface Size {
  readonly flags: number;
  readonly name: string;
  readonly directory: BenchDirectory;
  readonly requests: readonly BenchRequest[];
}

function nameOf(flags: number): string {
  return `${flags.toLocaleString('en-GB')} flags`;
}

function workersName(count: number): string {
  return count === 1 ? '1 worker' : `${count} workers`;
}

const base = nameOf(flagCounts[0]);

function targetsFor(driver: ClosedLoopDriver): readonly Target[] {
  const contender = nameOf(1_000_000);
  return [
    {
      what: 'throughput with 1,000,000 flags, against 100',
      comparison: `throughput-${driver}`,
      metric: 'requestsPerSecond',
      contender,
      of: 'ratio',
      bound: { atLeast: 0.95 },
    },
    {
      what: 'start-up with 1,000,000 flags, against 100',
      comparison: 'start-up',
      metric: 'startUpMs',
      contender,
      of: 'ratio',
      bound: { atMost: 2 },
    },
    {
      what: 'own memory with 1,000,000 flags, beyond that with 100, the caches and an allowance, in MiB',
      comparison: 'memory',
      metric: 'beyondBoundMiB',
      contender,
      of: 'value',
      bound: { atMost: 0 },
    },
    ...workerCounts.map(
      (count): Target => ({
        what: `the same with ${workersName(count)}, in MiB`,
        comparison: `memory-${count}`,
        metric: 'beyondBoundMiB',
        contender,
        of: 'value',
        bound: { atMost: 0 },
      }),
    ),
  ];
}

async function makeSize(bench: Bench, flags: number): Promise<Size> {
  bench.note(`applying ${nameOf(flags)}`);
  const directory = await makeDirectory(mixedProvision(flags));
  const length = bench.settings.isQuick ? quickRequests : requestsHere;
  const requests = mixedRequests(flags, directory.provisioned, seed, length);
  return { flags, name: nameOf(flags), directory, requests };
}

function contenderFor({ name, flags }: Size): { name: string; what: string; x: number } {
  return { name, what: `Burgee with ${name}`, x: flags };
}

function questionFor(bench: Bench, sizes: readonly Size[], servers: readonly ServerProcess[]): Question {
  return {
    title: 'The mix of evaluate-mixed, by the number of flags',
    base,
    connections: bench.settings.connections,
    settings: {
      'cache of a worker, MiB': cacheMiB,
      workers,
      servers: 'all at once, one asked at a time',
    },
    contenders: sizes.map((size, index) => {
      const { origin, pid } = servers[index] as ServerProcess;
      return { ...contenderFor(size), pid, list: { origin, requests: size.requests } };
    }),
  };
}

/** One request for each flag, which fills the caches. */
async function askForEveryFlag({ flags, directory }: Size, { origin }: ServerProcess): Promise<void> {
  const paths = Array.from({ length: flags }, (_unused, index) => {
    const { id, environment } = findMixedFlag(index, flags, directory.provisioned);
    return `/v1/flags/${id}?targetingKey=user-1${environment === null ? '' : `&env=${environment}`}`;
  });
  await askAll({ origin, paths });
}

function compareMemory(
  bench: Bench,
  question: Question,
  sizes: readonly Size[],
  servers: readonly ServerProcess[],
): Promise<Comparison> {
  return compareOwnMemory(bench, sizes, servers, workers, {
    ...planOf(question, bench.settings),
    id: 'memory',
    title: 'Memory after all rounds of load, every flag having been asked for at least once',
    driver: 'the load of the other comparisons, then each flag once',
    settings: { ...question.settings, 'allowance for garbage, MiB': allowanceMiB },
  });
}

/** Compares the smallest and the largest store. @param count of workers */
function compareMemoryOfWorkers(bench: Bench, sizes: readonly Size[], count: number): Promise<Comparison> {
  const ends = sizes.filter((_size, index) => index === 0 || index === sizes.length - 1);
  return withServers(async (keep) => {
    const servers: ServerProcess[] = [];
    for (const { directory } of ends)
      servers.push(await keep(serveDirectory(directory, { args: argumentsFor(count) })));
    return compareOwnMemory(bench, ends, servers, count, {
      id: `memory-${count}`,
      title: `Memory with ${workersName(count)}, every flag having been asked for once`,
      driver: 'each flag once, over 16 connections',
      settings: {
        'cache of a worker, MiB': cacheMiB,
        workers: count,
        'allowance for garbage, MiB': allowanceMiB,
      },
      base,
    });
  });
}

async function compareOwnMemory(
  bench: Bench,
  sizes: readonly Size[],
  servers: readonly ServerProcess[],
  count: number,
  plan: Pick<ComparisonPlan, 'id' | 'title' | 'driver' | 'settings' | 'base'>,
): Promise<Comparison> {
  for (const [index, size] of sizes.entries()) {
    bench.note(`asking once for each of ${size.name}`);
    await askForEveryFlag(size, servers[index] as ServerProcess);
  }
  const ownMiB = servers.map(({ pid }) => readAnonymousBytes(pid) / MiB);
  const boundMiB = (ownMiB[0] as number) + cacheMiB * count + allowanceMiB;
  return await bench.compare({
    ...plan,
    rounds: 1,
    metrics: [
      { key: 'residentMiB', label: 'resident memory, MiB', better: 'less', digits: 0 },
      { key: 'ownMiB', label: 'of it not mapped from files, MiB', better: 'less', digits: 0 },
      {
        key: 'beyondBoundMiB',
        label: `own memory beyond that of ${base} + caches + allowance, MiB`,
        better: 'less',
        digits: 0,
      },
    ],
    contenders: sizes.map((size, index) => ({
      ...contenderFor(size),
      isWarmedUp: false,
      measure: () => {
        const own = ownMiB[index] as number;
        const residentMiB = readResidentBytes((servers[index] as ServerProcess).pid) / MiB;
        return Promise.resolve({ figures: { residentMiB, ownMiB: own, beyondBoundMiB: own - boundMiB } });
      },
    })),
  });
}

function compareStartUp(bench: Bench, sizes: readonly Size[]): Promise<Comparison> {
  return bench.compare({
    id: 'start-up',
    title: 'A restart, by the number of flags: from the start of the process to its first answer',
    driver: 'one question, asked as soon as the server says that it listens',
    settings: { workers, 'files of the store': 'in the page cache' },
    base,
    metrics: startUpMetrics,
    contenders: sizes.map((size) => ({
      ...contenderFor(size),
      isWarmedUp: true,
      measure: async () => {
        const request = size.requests[0] as BenchRequest;
        const times = await timeStartUp(() => serveDirectory(size.directory, { args: serveArgs }), request);
        return { figures: { ...times } };
      },
    })),
  });
}

/** The comparisons during which a server of each size runs. */
function compareServed(bench: Bench, sizes: readonly Size[]): Promise<Comparison[]> {
  return withServers(async (keep) => {
    const servers: ServerProcess[] = [];
    for (const { directory } of sizes)
      servers.push(await keep(serveDirectory(directory, { args: serveArgs })));
    const question = questionFor(bench, sizes, servers);
    const throughput = await compareThroughput(bench, question);
    const halfRate = fastestOf(throughput, base) / 2;
    const rate = await findOpenLoopRate(bench, listOf(question, base), question.connections, halfRate);
    const latency = await compareLatency(bench, question, rate);
    const memory = canMeterProcesses() ? [await compareMemory(bench, question, sizes, servers)] : [];
    return [...throughput, latency, ...memory];
  });
}

function missingHere(isQuick: boolean): readonly MissingContender[] {
  const left = isQuick ? flagCounts.filter((flags) => flags > quickFlagsMax) : [];
  const sizes = left.map((flags) => ({ name: nameOf(flags), why: 'a quick run stops at 1,000 flags' }));
  if (isQuick) sizes.push({ name: 'memory with 1 and with 4 workers', why: 'a quick run leaves it out' });
  if (canMeterProcesses()) return sizes;
  return [...sizes, { name: 'memory', why: 'this system does not report the CPU and memory of a process' }];
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const { isQuick, drivers } = bench.settings;
  const sizes: Size[] = [];
  try {
    for (const flags of flagCounts) {
      if (!isQuick || flags <= quickFlagsMax) sizes.push(await makeSize(bench, flags));
    }
    const comparisons = [...(await compareServed(bench, sizes)), await compareStartUp(bench, sizes)];
    if (canMeterProcesses() && !isQuick) {
      for (const count of workerCounts) comparisons.push(await compareMemoryOfWorkers(bench, sizes, count));
    }
    const targets = isQuick ? [] : drivers.slice(0, 1).flatMap(targetsFor);
    return { scenario, comparisons, targets, missing: missingHere(isQuick) };
  } finally {
    for (const { directory } of sizes) directory.remove();
  }
}

export const scaleFlagsScenario: Scenario = {
  name: scenario,
  summary: 'evaluate-mixed with 100 to 1,000,000 flags: throughput, latency, memory, start-up',
  runsElsewhere: false,
  run,
};
