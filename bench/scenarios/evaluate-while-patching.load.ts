import { type FixedRateChanges, startChanges } from '../changes/fixed-rate-changes.ts';
import { probeFreshness } from '../changes/probe-freshness.ts';
import { remarkOnChanges, whileChanging } from '../changes/while-changing.ts';
import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { type ClosedLoopDriver, describeDriver, runClosedLoop } from '../load/closed-loop.ts';
import { compareLatency } from '../measure/compare-latency.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { fastestOf } from '../measure/median-of.ts';
import { findOpenLoopRate } from '../measure/open-loop-rate.ts';
import { contenderOf, listOf, planOf, type Question } from '../measure/question.ts';
import type { Bench, Measurement, Scenario } from '../scenario.ts';
import { mixedProvision } from '../servers/flag-fixtures.ts';
import { findMixedFlag, mixedRequests } from '../servers/mixed-requests.ts';
import type { ProvisionedPart } from '../servers/provision-file.ts';
import { type BurgeeProcess, startBurgee } from '../servers/start-burgee.ts';
import { withServers } from '../servers/with-servers.ts';

const scenario = 'evaluate-while-patching';
const sizes = { flags: 10_000, requests: 100_000 };
const quickSizes = { flags: 200, requests: 1000 };
const seed = 20_260_104;
const rates = [0, 10, 100, 1000] as const;
/** Rates that even a fresh server on a busy machine can hold. */
const quickRates = [0, 100] as const;
/** Number of patched flags, which are the most popular: a change of a flag that is not evaluated costs a worker nothing. */
const changedFlagsMax = 1000;
const probeProject: ProvisionedPart = {
  name: 'freshness',
  tokens: [{ name: 'probe', permission: 'write' }],
  flags: [{ name: 'probed' }],
};
const serveArgs = ['--management-rate-limit', '1000000000'];

function nameOf(rate: number): string {
  return rate === 0 ? 'no changes' : `${rate.toLocaleString('en-GB')} changes a second`;
}

function targetsFor(driver: ClosedLoopDriver): readonly Target[] {
  const contender = nameOf(1000);
  return [
    {
      what: 'throughput with 1,000 changes a second, against none',
      comparison: `throughput-${driver}`,
      metric: 'requestsPerSecond',
      contender,
      of: 'ratio',
      bound: { atLeast: 0.8 },
    },
    {
      what: 'stale answers after an acknowledged change',
      comparison: 'freshness',
      metric: 'staleAnswers',
      contender,
      of: 'value',
      bound: { atMost: 0 },
    },
  ];
}

function questionFor(bench: Bench, { origin, pid, provisioned }: BurgeeProcess): Question {
  const { flags, requests } = bench.settings.isQuick ? quickSizes : sizes;
  const list = { origin, requests: mixedRequests(flags, provisioned, seed, requests) };
  return {
    title: 'The mix of evaluate-mixed, while its most popular flags are patched at a fixed rate',
    base: nameOf(0),
    connections: bench.settings.connections,
    settings: {
      flags,
      'flags that are patched': Math.min(flags, changedFlagsMax),
      servers: 'one for all rates',
    },
    contenders: (bench.settings.isQuick ? quickRates : rates).map((rate) => ({
      name: nameOf(rate),
      what: rate === 0 ? 'Nothing is patched' : `${nameOf(rate)}, each durable before it is answered`,
      x: rate,
      list,
      pid,
    })),
  };
}

function probedFlag({ provisioned }: BurgeeProcess): Parameters<typeof probeFreshness>[0]['flag'] {
  const project = provisioned.projects[probeProject.name];
  const id = project?.flags['probed'];
  const writeToken = project?.tokens['probe']?.secret;
  if (id === undefined || writeToken === undefined) throw new Error('the probe has no flag');
  return { id, environment: null, writeToken };
}

/** The probe changes its own flag all the time, in addition to the other changes. */
async function compareFreshness(
  bench: Bench,
  question: Question,
  server: BurgeeProcess,
  driver: ClosedLoopDriver,
): Promise<Comparison> {
  const { origin } = server;
  const flag = probedFlag(server);
  return await bench.compare({
    ...planOf(question, bench.settings),
    id: 'freshness',
    title: 'From the acknowledgement of a change to the first answer that shows it, under the same load',
    driver: `${describeDriver(driver)}, and a probe on two connections`,
    remarks: [
      "The probe patches a flag of its own, waits for the acknowledgement and evaluates the flag at once, some 50 to 100 times a second, in addition to each contender's changes. An answer that does not show the change is stale, and fails the run.",
    ],
    metrics: [
      { key: 'p50Us', label: 'acknowledged change to changed answer, p50, µs', better: 'less', digits: 0 },
      { key: 'p99Us', label: 'p99, µs', better: 'less', digits: 0 },
      { key: 'staleAnswers', label: 'stale answers', better: 'less', digits: 0 },
      { key: 'probes', label: 'probes', better: 'more', digits: 0 },
    ],
    contenders: question.contenders.map((contender) => ({
      ...contenderOf(contender),
      isWarmedUp: true,
      measure: async (seconds) => {
        const load = { list: contender.list, connections: question.connections, seconds };
        const [{ histogram, ...figures }] = await Promise.all([
          probeFreshness({ origin, flag, seconds }),
          runClosedLoop(driver, load),
        ]);
        requireFresh(figures);
        return { figures, histogram };
      },
    })),
  });
}

function requireFresh({ staleAnswers, probes }: Measurement): void {
  if (staleAnswers !== 0)
    throw new Error(`${staleAnswers} answers were stale, after ${probes} acknowledged changes`);
}

async function compareAll(
  bench: Bench,
  server: BurgeeProcess,
  changes: FixedRateChanges,
): Promise<ScenarioReport> {
  const [driver] = bench.settings.drivers;
  if (driver === undefined) throw new Error('no load generator is available');
  const question = questionFor(bench, server);
  const changing = whileChanging(bench, changes);
  const throughput = await compareThroughput(changing, question);
  const undisturbed = fastestOf(throughput, nameOf(0));
  const list = listOf(question, nameOf(0));
  const rate = await findOpenLoopRate(bench, list, question.connections, undisturbed / 2);
  const latency = await compareLatency(changing, question, rate);
  const freshness = await compareFreshness(changing, question, server, driver);
  const comparisons = [...throughput, latency, freshness].map(remarkOnChanges);
  return { scenario, comparisons, targets: targetsFor(driver), missing: [] };
}

function run(bench: Bench): Promise<ScenarioReport> {
  const { flags } = bench.settings.isQuick ? quickSizes : sizes;
  return withServers(async (keep) => {
    bench.note(`applying ${flags.toLocaleString('en-GB')} flags`);
    const server = await keep(startBurgee([...mixedProvision(flags), probeProject], { args: serveArgs }));
    const changed = Array.from({ length: Math.min(flags, changedFlagsMax) }, (_unused, index) =>
      findMixedFlag(index, flags, server.provisioned),
    );
    const changes = await startChanges(server.origin, changed);
    try {
      return await compareAll(bench, server, changes);
    } finally {
      await changes.stop();
    }
  });
}

export const evaluateWhilePatchingScenario: Scenario = {
  name: scenario,
  summary: 'evaluate-mixed with 0, 10, 100 and 1,000 changes a second, and how soon a change shows',
  runsElsewhere: false,
  run,
};
