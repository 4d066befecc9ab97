import type { ChangeableFlag } from '../changes/changing-flag.ts';
import { diskFolder, fileSystemAt } from '../changes/disk-folder.ts';
import type { PatchFigures } from '../changes/patch-figures.ts';
import { runPostgresCommits, runWriters } from '../changes/patch-loads.ts';
import { probeFreshness } from '../changes/probe-freshness.ts';
import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { oneFlagQuestion, oneFlagTitle } from '../measure/one-flag-question.ts';
import { startUpMetrics, timeStartUp } from '../measure/time-start-up.ts';
import type { Bench, ComparisonPlan, ContenderPlan, Scenario } from '../scenario.ts';
import { type BenchCluster, startCluster } from '../servers/bench-cluster.ts';
import { type BenchDirectory, copyDirectory, makeDirectory } from '../servers/bench-directory.ts';
import { halfFlagProject, mixedProvision } from '../servers/flag-fixtures.ts';
import { findMixedFlag } from '../servers/mixed-requests.ts';
import type { ProvisionedPart } from '../servers/provision-file.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import { serveDirectory } from '../servers/start-burgee.ts';
import { withServers } from '../servers/with-servers.ts';
import { workerArguments } from '../servers/worker-arguments.ts';

const scenario = 'cluster';
const nodesHere = 3;
/** A change must still reach another node. */
const quickNodes = 2;
const writersMax = 64;
/** Writers during the kill. */
const killWriters = 8;
const flagsOfNewNode = 100_000;
const quickFlags = 1000;
/** Long enough for changes to wait for a killed node within a round. A lease ends after three seconds. */
const killSecondsMin = 10;
/** Of a quick run: the second before the kill, and the lease. */
const quickKillSecondsMin = 5;
const killAfterMs = 1000;
const bareCommit = 'bare commit';
const serveArgs = ['--management-rate-limit', '1000000000'];

const patched: ProvisionedPart = {
  name: 'patched',
  tokens: [{ name: 'bench-write', permission: 'write' }],
  flags: Array.from({ length: writersMax + 1 }, (_unused, index) => ({ name: `patched-${index}` })),
};

/** How far away PostgreSQL is. With a nearby one the comparison is of CPU time, of which a bare commit needs less. */
interface PostgresDistance {
  readonly id: string;
  readonly title: string;
  readonly where: string;
  readonly postgres: string;
  readonly awayMs: number;
}

const writersHere: PostgresDistance = {
  id: 'writers',
  title: 'Durable changes of a cluster',
  where: 'PostgreSQL on the same machine',
  postgres: 'on the same machine, fsync on, no standby',
  awayMs: 0,
};
const writersAway: PostgresDistance = {
  id: 'writers-away',
  title: 'Durable changes of a cluster, with PostgreSQL or its synchronous standby elsewhere',
  where: 'PostgreSQL a millisecond away',
  postgres: 'on the same machine, fsync on; each byte to it and from it is delayed by a millisecond',
  awayMs: 1,
};

function nodesOf({ settings }: Bench): number {
  return settings.isQuick ? quickNodes : nodesHere;
}

const targetsOf = (nodes: number): readonly Target[] => [
  {
    what: 'throughput of evaluations on a node of a cluster, against a service alone',
    comparison: 'throughput-wrk',
    metric: 'requestsPerSecond',
    contender: 'node',
    of: 'ratio',
    bound: { atLeast: 0.98 },
  },
  ...[writersHere, writersAway].flatMap(({ id, where }) =>
    [1, nodes].map(
      (count): Target => ({
        what: `changes a second of 64 writers on ${nodesName(count)}, against one bare commit after another, ${where}`,
        comparison: id,
        metric: 'changesPerSecond',
        contender: `64 writers, ${nodesName(count)}`,
        of: 'ratio',
        bound: { atLeast: 3 },
      }),
    ),
  ),
  {
    what: 'stale answers of the other nodes after an acknowledged change',
    comparison: 'visible',
    metric: 'staleAnswers',
    contender: 'waiting',
    of: 'value',
    bound: { atMost: 0 },
  },
];

const changeMetrics: ComparisonPlan['metrics'] = [
  { key: 'changesPerSecond', label: 'durable changes a second', better: 'more', digits: 0 },
  { key: 'p50Us', label: 'p50, µs', better: 'less', digits: 0 },
  { key: 'p99Us', label: 'p99, µs', better: 'less', digits: 0 },
];

function nodesName(count: number): string {
  return count === 1 ? 'one node' : `${count} nodes`;
}

/** The running cluster. */
interface Stage {
  readonly cluster: BenchCluster;
  /** A node acknowledges a change when all nodes have it. */
  readonly nodes: readonly ServerProcess[];
  readonly flags: readonly ChangeableFlag[];
  /** A flag that only the probe of freshness changes. */
  readonly probed: ChangeableFlag;
}

function flagsOf({ provisioned }: BenchDirectory): ChangeableFlag[] {
  const project = provisioned.projects[patched.name];
  const writeToken = project?.tokens['bench-write']?.secret;
  if (project === undefined || writeToken === undefined) throw new Error('the flags to patch are not there');
  return Object.values(project.flags).map((id) => ({ id, environment: null, writeToken }));
}

function originsOf(servers: readonly ServerProcess[]): string[] {
  return servers.map(({ origin }) => origin);
}

function planFor(bench: Bench, metrics: ComparisonPlan['metrics'], { postgres } = writersHere) {
  return {
    driver: 'closed loop over plain sockets',
    settings: {
      'seconds a round': bench.settings.seconds,
      nodes: nodesOf(bench),
      'file system': fileSystemAt(diskFolder()),
      PostgreSQL: postgres,
    },
    metrics,
  };
}

function figuresOf({ changesPerSecond, p50Us, p99Us, histogram }: PatchFigures) {
  return { figures: { changesPerSecond, p50Us, p99Us }, histogram };
}

function bareContender({ cluster }: Stage): ContenderPlan {
  return {
    name: bareCommit,
    what: 'The limit without concurrency: one statement on one connection to PostgreSQL, with the rows and bytes of a patch',
    isWarmedUp: true,
    measure: async (seconds) => figuresOf(await runPostgresCommits({ clusterUrl: cluster.url, seconds })),
  };
}

function writersContender(
  name: string,
  what: string,
  servers: readonly ServerProcess[],
  flags: readonly ChangeableFlag[],
): ContenderPlan {
  const load = { origins: originsOf(servers), flags };
  return {
    ...{ name, what, isWarmedUp: true },
    measure: async (seconds) => figuresOf(await runWriters({ ...load, seconds })),
  };
}

function compareWriters(bench: Bench, stage: Stage, distance: PostgresDistance): Promise<Comparison> {
  const nodes = nodesOf(bench);
  const contender = (count: number): ContenderPlan =>
    writersContender(
      `64 writers, ${nodesName(count)}`,
      `Patches over HTTP, 64 at once, spread over ${nodesName(count)}; ${nodesName(nodes)} must have each`,
      stage.nodes.slice(0, count),
      stage.flags,
    );
  return bench.compare({
    ...planFor(bench, changeMetrics, distance),
    id: distance.id,
    title: distance.title,
    base: bareCommit,
    contenders: [bareContender(stage), contender(1), contender(nodes)],
  });
}

/** @param hasty a node that acknowledges a change when PostgreSQL has it */
function compareSingleWriter(bench: Bench, stage: Stage, hasty: ServerProcess): Promise<Comparison> {
  const flags = stage.flags.slice(0, 1);
  return bench.compare({
    ...planFor(bench, changeMetrics),
    id: 'single-writer',
    title: 'One durable change of a cluster after another',
    base: bareCommit,
    contenders: [
      bareContender(stage),
      writersContender('waiting', 'Acknowledged when every node has it', stage.nodes.slice(0, 1), flags),
      writersContender(
        'not waiting',
        'Acknowledged when PostgreSQL has it (--cluster-wait none)',
        [hasty],
        flags,
      ),
    ],
  });
}

function compareVisible(
  bench: Bench,
  { nodes: [node, other], probed }: Stage,
  hasty: ServerProcess,
): Promise<Comparison> {
  if (node === undefined || other === undefined) throw new Error('a cluster has several nodes');
  const contender = (name: string, what: string, changed: ServerProcess): ContenderPlan => {
    return {
      ...{ name, what, isWarmedUp: false },
      measure: async (seconds) => {
        const probe = { origin: changed.origin, readFrom: other.origin, flag: probed, seconds };
        const { p50Us, p99Us, staleAnswers, histogram } = await probeFreshness(probe);
        return { figures: { p50Us, p99Us, staleAnswers }, histogram };
      },
    };
  };
  return bench.compare({
    ...planFor(bench, [
      { key: 'p50Us', label: 'acknowledged to visible, p50, µs', better: 'less', digits: 0 },
      { key: 'p99Us', label: 'p99, µs', better: 'less', digits: 0 },
      { key: 'staleAnswers', label: 'stale answers', better: 'less', digits: 0 },
    ]),
    id: 'visible',
    title: 'From the acknowledgement of a change to the first answer of another node that shows it',
    base: 'waiting',
    contenders: [
      contender('waiting', 'Acknowledged when every node has it', node),
      contender('not waiting', 'Acknowledged when PostgreSQL has it (--cluster-wait none)', hasty),
    ],
  });
}

/** How long the slowest change waited, with and without a node that is killed. */
function compareKilled(bench: Bench, { cluster, nodes: [node], flags }: Stage): Promise<Comparison> {
  // Fewer in a quick run, which lasts as long as a lease.
  const writers = bench.settings.isQuick ? 1 : killWriters;
  const load = { origins: originsOf(node === undefined ? [] : [node]), flags: flags.slice(0, writers) };
  const measure = async (seconds: number) => {
    const { maxUs, histogram } = await runWriters({
      ...load,
      seconds: Math.max(seconds, bench.settings.isQuick ? 0 : killSecondsMin),
    });
    return { figures: { maxMs: maxUs / 1000 }, histogram };
  };
  return bench.compare({
    ...planFor(bench, [{ key: 'maxMs', label: 'the slowest change, ms', better: 'less', digits: 0 }]),
    id: 'killed',
    title: 'How long changes wait when another node is killed',
    base: 'nothing killed',
    contenders: [
      { name: 'nothing killed', what: `Writers on one node: ${writers}`, isWarmedUp: true, measure },
      {
        name: 'a node killed',
        what: `The same, and a further node is killed with SIGKILL after ${killAfterMs} ms: its lease has to run out`,
        isWarmedUp: false,
        measure: async (seconds) => {
          const victim = await cluster.startNode(serveArgs);
          const killing = setTimeout(() => process.kill(victim.pid, 'SIGKILL'), killAfterMs);
          try {
            return await measure(
              Math.max(seconds, bench.settings.isQuick ? quickKillSecondsMin : killSecondsMin),
            );
          } finally {
            clearTimeout(killing);
            await victim.stop();
          }
        },
      },
    ],
  });
}

async function compareEvaluations(bench: Bench): Promise<Comparison[]> {
  const directory = await makeDirectory([halfFlagProject('bench')]);
  const alone = copyDirectory(directory);
  const cluster = await startCluster(directory, (text) => bench.note(text));
  try {
    return await withServers(async (keepHere) => {
      const args = workerArguments(1);
      const flagId = Object.values(directory.provisioned.projects['bench']?.flags ?? {})[0] ?? '';
      const question = oneFlagQuestion(bench, {
        flagId,
        title: `${oneFlagTitle}: on a node of a cluster, and alone`,
        base: 'alone',
        connections: bench.settings.connections,
        servers: [
          {
            name: 'alone',
            what: 'Burgee alone, one worker',
            server: await keepHere(serveDirectory(alone, { args })),
          },
          {
            name: 'node',
            what: 'A node of a cluster, one worker',
            server: await keepHere(cluster.startNode(args)),
          },
        ],
      });
      return await compareThroughput(bench, question);
    });
  } finally {
    await cluster.stop();
    for (const made of [directory, alone]) made.remove();
  }
}

/** A new node copies the whole state from PostgreSQL before it answers. */
async function compareNewNode(bench: Bench): Promise<Comparison> {
  const count = bench.settings.isQuick ? quickFlags : flagsOfNewNode;
  bench.note(`applying ${count.toLocaleString('en-GB')} flags`);
  const directory = await makeDirectory(mixedProvision(count));
  const alone = copyDirectory(directory);
  const cluster = await startCluster(directory, (text) => bench.note(text));
  const { id, environment } = findMixedFlag(0, count, directory.provisioned);
  const query = environment === null ? '' : `&env=${environment}`;
  const request = { path: `/v1/flags/${id}?targetingKey=user-1${query}`, status: 200 };
  const contender = (name: string, what: string, start: () => Promise<ServerProcess>): ContenderPlan => ({
    ...{ name, what, isWarmedUp: false },
    measure: async () => ({ figures: { ...(await timeStartUp(start, request)) } }),
  });
  try {
    return await bench.compare({
      ...planFor(bench, startUpMetrics),
      id: 'new-node',
      title: `From the start of the process to its first answer, with ${count.toLocaleString('en-GB')} flags`,
      base: 'alone',
      contenders: [
        contender('alone', 'Burgee alone, on its own directory', () => serveDirectory(alone)),
        contender('new node', 'A node with an empty directory', () => cluster.startNode()),
        contender('same node', 'A node with the directory that it had', () =>
          cluster.startNode([], directory),
        ),
      ],
    });
  } finally {
    await cluster.stop();
    for (const made of [directory, alone]) made.remove();
  }
}

/** @param compare gets the nodes of a new cluster that has taken a first change */
async function onCluster(
  bench: Bench,
  awayMs: number,
  compare: (
    stage: Stage,
    start: (...args: readonly string[]) => Promise<ServerProcess>,
  ) => Promise<Comparison[]>,
): Promise<Comparison[]> {
  const directory = await makeDirectory([patched], diskFolder());
  const cluster = await startCluster(directory, (text) => bench.note(text), awayMs);
  try {
    return await withServers(async (keep) => {
      const start = (...args: readonly string[]): Promise<ServerProcess> =>
        keep(cluster.startNode([...serveArgs, ...args]));
      const [probed, ...flags] = flagsOf(directory) as [ChangeableFlag, ...ChangeableFlag[]];
      const started = await Promise.all(Array.from({ length: nodesOf(bench) }, () => start()));
      // Its rows are the pattern of the bare commits.
      await runWriters({ origins: originsOf(started), flags: flags.slice(0, 1), seconds: 0 });
      return await compare({ cluster, nodes: started, flags, probed }, start);
    });
  } finally {
    await cluster.stop();
    directory.remove();
  }
}

async function compareChanges(bench: Bench): Promise<Comparison[]> {
  const here = await onCluster(bench, writersHere.awayMs, async (stage, start) => {
    const writers = await compareWriters(bench, stage, writersHere);
    const killed = await compareKilled(bench, stage);
    // Started last, because the other nodes wait for this one too.
    const hasty = await start('--cluster-wait', 'none');
    const singleWriter = await compareSingleWriter(bench, stage, hasty);
    return [writers, singleWriter, await compareVisible(bench, stage, hasty), killed];
  });
  const away = await onCluster(bench, writersAway.awayMs, async (stage) => [
    await compareWriters(bench, stage, writersAway),
  ]);
  return [...here, ...away];
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const comparisons = [
    ...(await compareEvaluations(bench)),
    ...(await compareChanges(bench)),
    await compareNewNode(bench),
  ];
  return { scenario, comparisons, targets: targetsOf(nodesOf(bench)), missing: [] };
}

export const clusterScenario: Scenario = {
  name: scenario,
  summary: 'a cluster of three nodes on PostgreSQL: against a service alone, and bare commits',
  runsElsewhere: false,
  run,
};
