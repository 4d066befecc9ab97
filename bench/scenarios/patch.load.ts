import type { ChangeableFlag } from '../changes/changing-flag.ts';
import { diskFolder, fileSystemAt } from '../changes/disk-folder.ts';
import type { PatchFigures } from '../changes/patch-figures.ts';
import { runBareCommits, runOneByOne, runSyncs, runWriters } from '../changes/patch-loads.ts';
import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { canMeterProcesses, meterProcess } from '../load/process-meter.ts';
import { buildBefore, buildsToCompare } from '../measure/compare-builds.ts';
import type { Bench, ComparisonPlan, ContenderPlan, Scenario } from '../scenario.ts';
import type { BenchDirectory } from '../servers/bench-directory.ts';
import type { ProvisionedPart } from '../servers/provision-file.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import { serveDirectory } from '../servers/start-burgee.ts';
import { withDirectories } from '../servers/with-directories.ts';
import { withServers } from '../servers/with-servers.ts';

const scenario = 'patch';
const flagsHere = 1000;
const quickFlags = 100;
const writersMax = 64;
const oneByOne = '64 writers, one transaction per change';
const inProcess = 'one transaction per change, in process';
const bareCommit = 'bare commit';
/** Long, so that no change is refused on a slow disk, whose latency must show in the figures. */
const deadlineMs = 600_000;
const serveArgs = ['--management-rate-limit', '1000000000', '--request-deadline-ms', String(deadlineMs)];
const oneByOneArgs = [...serveArgs, '--commit-group-size', '1'];

const metrics: ComparisonPlan['metrics'] = [
  { key: 'changesPerSecond', label: 'durable changes a second', better: 'more', digits: 0 },
  { key: 'meanUs', label: 'mean, µs', better: 'less', digits: 0 },
  { key: 'p50Us', label: 'p50, µs', better: 'less', digits: 0 },
  { key: 'p99Us', label: 'p99, µs', better: 'less', digits: 0 },
];

const cpuMetrics: ComparisonPlan['metrics'] = [
  { key: 'processCpuUs', label: 'CPU per change of the process that commits, µs', better: 'less', digits: 1 },
];

const targets: readonly Target[] = [
  {
    what: 'changes a second of 64 writers, against one transaction per change',
    comparison: 'writers',
    metric: 'changesPerSecond',
    contender: writersName(64),
    of: 'ratio',
    bound: { atLeast: 5 },
  },
  {
    what: "a single writer's latency, against one bare durable commit",
    comparison: 'single-writer',
    metric: 'p50Us',
    contender: writersName(1),
    of: 'ratio',
    bound: { atMost: 3 },
  },
];

function writersName(writers: number): string {
  return writers === 1 ? '1 writer' : `${writers} writers`;
}

/** Directories with the same flags: two are served, and the baselines without a server write to two. */
interface Places {
  readonly served: BenchDirectory;
  readonly servedOneByOne: BenchDirectory;
  readonly inProcess: BenchDirectory;
  readonly bare: BenchDirectory;
}

function provisionOf(flags: number): ProvisionedPart {
  return {
    name: 'bench',
    tokens: [{ name: 'bench-write', permission: 'write' }],
    flags: Array.from({ length: flags }, (_unused, index) => ({
      name: `patched-${index}`,
      enabled: true,
      trafficPercentage: 50,
    })),
  };
}

/** @returns `count` flags, spread evenly over all flags: one for each writer */
function spreadFlags({ provisioned }: BenchDirectory, count: number): readonly ChangeableFlag[] {
  const project = provisioned.projects['bench'];
  const ids = Object.values(project?.flags ?? {});
  const writeToken = project?.tokens['bench-write']?.secret;
  if (writeToken === undefined || ids.length < count) throw new Error('the flags to patch are not there');
  const step = Math.floor(ids.length / count);
  return Array.from({ length: count }, (_unused, index) => {
    return { id: ids[index * step] as string, environment: null, writeToken };
  });
}

function figuresOf({ changesPerSecond, meanUs, p50Us, p99Us, makerCpuUs, histogram }: PatchFigures) {
  return { figures: { changesPerSecond, meanUs, p50Us, p99Us, processCpuUs: makerCpuUs }, histogram };
}

function writersContender(writers: number, server: ServerProcess, served: BenchDirectory): ContenderPlan {
  return {
    ...overHttp(writers, server, served),
    name: writersName(writers),
    what: `Burgee, patches over HTTP, ${writersName(writers)} at once`,
    x: writers,
  };
}

/** The baseline of group commit: the same service and load, with one commit for each change. */
function oneByOneContender(server: ServerProcess, served: BenchDirectory): ContenderPlan {
  return {
    ...overHttp(writersMax, server, served),
    name: oneByOne,
    what: `Burgee with --commit-group-size 1, patches over HTTP, ${writersName(writersMax)} at once`,
  };
}

function overHttp(
  writers: number,
  server: ServerProcess,
  served: BenchDirectory,
): Pick<ContenderPlan, 'isWarmedUp' | 'measure'> {
  const flags = spreadFlags(served, writers);
  return {
    isWarmedUp: true,
    measure: async (seconds) => {
      const used = meterProcess(server.pid);
      const made = await runWriters({ origins: [server.origin], flags, seconds });
      return figuresOf({ ...made, makerCpuUs: used().processUs / made.changes });
    },
  };
}

function inProcessContender(directory: BenchDirectory, waiting: number): ContenderPlan {
  const load = { dataDir: directory.dataDir, flags: spreadFlags(directory, writersMax), waiting };
  return {
    name: inProcess,
    what: `Burgee's own decisions and records, without HTTP, each change in a transaction of its own, ${waiting} waiting`,
    isWarmedUp: true,
    measure: async (seconds) => figuresOf(await runOneByOne({ ...load, seconds })),
  };
}

function bareCommitContender(directory: BenchDirectory): ContenderPlan {
  const load = { dataDir: directory.dataDir, flags: spreadFlags(directory, writersMax), waiting: 1 };
  return {
    name: bareCommit,
    what: 'The limit of a single writer: an LMDB commit of the same options, with as many puts and bytes as a patch makes',
    isWarmedUp: true,
    measure: async (seconds) => figuresOf(await runBareCommits({ ...load, seconds })),
  };
}

function syncContender(): ContenderPlan {
  return {
    name: 'write and sync',
    what: 'What the disk takes for anything durable: a page written and fdatasync',
    isWarmedUp: true,
    measure: async (seconds) => figuresOf(await runSyncs({ directory: diskFolder(), seconds })),
  };
}

/** The servers of `places`. */
interface Served {
  readonly grouped: ServerProcess;
  readonly oneByOne: ServerProcess;
}

function compareWriters(bench: Bench, servers: Served, places: Places): Promise<Comparison> {
  return bench.compare({
    ...planFor(bench),
    id: 'writers',
    title: 'Durable changes, by the number of writers that wait at once',
    base: oneByOne,
    contenders: [
      oneByOneContender(servers.oneByOne, places.servedOneByOne),
      ...[1, 8, writersMax].map((writers) => writersContender(writers, servers.grouped, places.served)),
      inProcessContender(places.inProcess, writersMax),
      bareCommitContender(places.bare),
      syncContender(),
    ],
  });
}

function compareSingleWriter(bench: Bench, server: ServerProcess, places: Places): Promise<Comparison> {
  return bench.compare({
    ...planFor(bench),
    id: 'single-writer',
    title: 'One durable change after another',
    base: bareCommit,
    contenders: [
      bareCommitContender(places.bare),
      inProcessContender(places.inProcess, 1),
      writersContender(1, server, places.served),
      syncContender(),
    ],
  });
}

function planFor({ settings }: Bench): Pick<ComparisonPlan, 'driver' | 'settings' | 'metrics' | 'remarks'> {
  return {
    driver: 'closed loop over plain sockets',
    settings: {
      'seconds a round': settings.seconds,
      flags: settings.isQuick ? quickFlags : flagsHere,
      'file system': fileSystemAt(diskFolder()),
    },
    metrics: canMeterProcesses() ? [...metrics, ...cpuMetrics] : metrics,
    remarks: [
      'The load is made by the suite itself: wrk and autocannon cannot check that each patch changed something.',
    ],
  };
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const provision = provisionOf(bench.settings.isQuick ? quickFlags : flagsHere);
  return await withDirectories(async (make) => {
    const places = {
      served: await make([provision], diskFolder()),
      servedOneByOne: await make([provision], diskFolder()),
      inProcess: await make([provision], diskFolder()),
      bare: await make([provision], diskFolder()),
    };
    return await withServers(async (keep) => {
      const grouped = await keep(serveDirectory(places.served, { args: serveArgs }));
      const oneByOne = await keep(serveDirectory(places.servedOneByOne, { args: oneByOneArgs }));
      const writers = await compareWriters(bench, { grouped, oneByOne }, places);
      const singleWriter = await compareSingleWriter(bench, grouped, places);
      return { scenario, comparisons: [writers, singleWriter], targets, missing: [] };
    });
  });
}

/** Patches at each build, by one writer and by all of them. */
async function runBefore(bench: Bench, checkout: string): Promise<ScenarioReport> {
  const provision = provisionOf(bench.settings.isQuick ? quickFlags : flagsHere);
  return await withDirectories((make) =>
    withServers(async (keep) => {
      const served = [];
      for (const { program, ...shown } of buildsToCompare(checkout)) {
        const directory = await make([provision], diskFolder(), program);
        const server = await keep(serveDirectory(directory, { program, args: serveArgs }));
        served.push({ shown, server, directory });
      }
      const comparisons: Comparison[] = [];
      for (const writers of [1, writersMax])
        comparisons.push(
          await bench.compare({
            ...planFor(bench),
            id: `writers-${writers}-${buildBefore}`,
            title: `Durable changes, ${writersName(writers)}: this build against an older one`,
            base: buildBefore,
            contenders: served.map(({ shown, server, directory }) => ({
              ...shown,
              ...overHttp(writers, server, directory),
            })),
          }),
        );
      return { scenario, comparisons, targets: [], missing: [] };
    }),
  );
}

export const patchScenario: Scenario = {
  name: scenario,
  summary: 'durable changes a second with 1, 8 and 64 writers: against a bare commit, and no group commit',
  runsElsewhere: false,
  runsBefore: true,
  run: (bench) => {
    const { checkoutBefore } = bench.settings;
    return checkoutBefore === null ? run(bench) : runBefore(bench, checkoutBefore);
  },
};
