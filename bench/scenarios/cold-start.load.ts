import type { ScenarioReport } from '../comparison.ts';
import type { BenchRequest } from '../load/request-list.ts';
import { type StartUp, startUpMetrics, timeStartUp } from '../measure/time-start-up.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { type BenchDirectory, makeDirectory } from '../servers/bench-directory.ts';
import { mixedProvision } from '../servers/flag-fixtures.ts';
import { findMixedFlag } from '../servers/mixed-requests.ts';
import { unbundledProgram } from '../servers/programs.ts';
import { type BurgeeOptions, serveDirectory } from '../servers/start-burgee.ts';
import { startNodeHttpServer } from '../servers/start-limits.ts';
import { workerArguments } from '../servers/worker-arguments.ts';

const scenario = 'cold-start';
const base = 'node-http';
const flagsHere = 100_000;
const quickFlags = 1000;
/** Each worker's thread loads before the service listens; 16 workers exceed many machines' cores. */
const workerCounts = [1, 16] as const;
const quickWorkerCounts = [1] as const;
/** No flag is provisioned: a worker looks the flag up and answers 404. */
const unknownFlag: BenchRequest = { path: '/v1/flags/NoFlagNoFlagNoFlagNo?targetingKey=user-1', status: 404 };

/** Starts on a directory that was never served, so that the server makes its store first. */
async function startEmpty(options: BurgeeOptions = {}): Promise<StartUp> {
  const directory = await makeDirectory([]);
  try {
    return await timeStartUp(() => serveDirectory(directory, options), unknownFlag);
  } finally {
    directory.remove();
  }
}

function questionTo({ provisioned }: BenchDirectory, flags: number): BenchRequest {
  const { id, environment } = findMixedFlag(0, flags, provisioned);
  const query = environment === null ? '' : `&env=${environment}`;
  return { path: `/v1/flags/${id}?targetingKey=user-1${query}`, status: 200 };
}

async function compareStarts(
  bench: Bench,
  directory: BenchDirectory,
  flags: number,
): Promise<ScenarioReport> {
  const question = questionTo(directory, flags);
  const provisioned = `${flags.toLocaleString('en-GB')} flags`;
  const contender = (name: string, what: string, start: () => Promise<StartUp>) => ({
    name,
    what,
    isWarmedUp: true,
    measure: async () => ({ figures: { ...(await start()) } }),
  });
  const comparison = await bench.compare({
    id: 'cold-start',
    title: 'From the start of the process to its first answer',
    driver: 'one question, asked as soon as the server says that it listens',
    settings: { files: 'in the page cache' },
    base,
    metrics: startUpMetrics,
    contenders: [
      contender(base, `A bare node:http server, Node ${process.versions.node}`, () =>
        timeStartUp(() => startNodeHttpServer('{}'), { path: '/', status: 200 }),
      ),
      contender('empty', 'Burgee on an empty directory, which makes its store first', () => startEmpty()),
      contender('unbundled', 'The same, from the unbundled files (decision 0044)', () =>
        startEmpty({ program: unbundledProgram }),
      ),
      ...(bench.settings.isQuick ? quickWorkerCounts : workerCounts).map((workers) =>
        contender(
          `workers: ${workers}`,
          'Burgee on an empty directory with this many workers: it listens when all serve',
          () => startEmpty({ args: workerArguments(workers) }),
        ),
      ),
      contender(provisioned, `Burgee with ${provisioned}`, () =>
        timeStartUp(() => serveDirectory(directory), question),
      ),
    ],
  });
  return { scenario, comparisons: [comparison], targets: [], missing: [] };
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const flags = bench.settings.isQuick ? quickFlags : flagsHere;
  bench.note(`applying ${flags.toLocaleString('en-GB')} flags`);
  const directory = await makeDirectory(mixedProvision(flags));
  try {
    return await compareStarts(bench, directory, flags);
  } finally {
    directory.remove();
  }
}

export const coldStartScenario: Scenario = {
  name: scenario,
  summary: 'process start to first answer, empty and with 100,000 flags: against a bare node:http server',
  runsElsewhere: false,
  run,
};
