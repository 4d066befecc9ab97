import type { ScenarioReport, Target } from '../comparison.ts';
import { askElsewhere } from '../measure/ask-elsewhere.ts';
import { compareBuilds } from '../measure/compare-builds.ts';
import { compareLatency } from '../measure/compare-latency.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { fastestOf } from '../measure/median-of.ts';
import { findOpenLoopRate } from '../measure/open-loop-rate.ts';
import { listOf, type Question } from '../measure/question.ts';
import type { Bench, Scenario, ServerElsewhere } from '../scenario.ts';
import { halfFlagProject, mixedProvision } from '../servers/flag-fixtures.ts';
import { ensureMixElsewhere, flagsElsewhere } from '../servers/mixed-elsewhere.ts';
import { mixedRequests, requestsFor } from '../servers/mixed-requests.ts';
import { oneFlagRequests } from '../servers/one-flag-requests.ts';
import { checkSameAnswers } from '../servers/same-answers.ts';
import { startBurgee } from '../servers/start-burgee.ts';
import { startBareServer } from '../servers/start-limits.ts';
import { findTypicalAnswer } from '../servers/typical-answer.ts';
import { type KeepServer, withServers } from '../servers/with-servers.ts';

const scenario = 'evaluate-mixed';
const title = 'Many flags by Zipf: 60 % targeting key, 20 % cohort, 15 % four attributes, 5 % unknown flags';
const oneFlag = 'evaluate-flag';
/** No project of the mix has this name. */
const oneFlagProject = 'bench';
const seed = 20_260_101;
const answersSampled = 400;

interface Sizes {
  readonly flags: number;
  readonly requests: number;
}

const full: Sizes = { flags: 10_000, requests: 100_000 };
const quick: Sizes = { flags: 200, requests: 1000 };
const ofMix = { contender: scenario, of: 'ratio', metric: 'requestsPerSecond' } as const;

function targetsFor(driver: string): readonly Target[] {
  const comparison = `throughput-${driver}`;
  return [{ ...ofMix, comparison, what: 'throughput against one flag', bound: { atLeast: 0.85 } }];
}

/** Starts the contenders: the mix, one flag of the same server, and a constant answer as long as the mix's average. */
async function prepare({ settings }: Bench, keep: KeepServer): Promise<Question> {
  const sizes = settings.isQuick ? quick : full;
  const burgee = await keep(startBurgee([...mixedProvision(sizes.flags), halfFlagProject(oneFlagProject)]));
  const { origin, pid, provisioned } = burgee;
  const mix = mixedRequests(sizes.flags, provisioned, seed, sizes.requests);
  const flagId = provisioned.projects[oneFlagProject]?.flags['half'] ?? '';
  const typical = await findTypicalAnswer(origin, mix, answersSampled);
  const bare = await keep(startBareServer(typical.body));
  await checkSameAnswers(typical.path, { burgee: origin, bare: bare.origin });
  return {
    title,
    base: oneFlag,
    connections: settings.connections,
    settings: { flags: sizes.flags, 'different requests': mix.length },
    contenders: [
      { name: scenario, what: 'Burgee, the mix', pid, list: { origin, requests: mix } },
      {
        name: oneFlag,
        what: 'The same Burgee, one flag at 50 %',
        pid,
        list: { origin, requests: oneFlagRequests(flagId, sizes.requests) },
      },
      {
        name: 'bare',
        what: "A constant answer of uWebSockets.js, as long as the mix's answers are on average",
        pid: bare.pid,
        list: { origin: bare.origin, requests: mix.map(({ path }) => ({ path, status: 200 })) },
      },
    ],
  };
}

function runHere(bench: Bench): Promise<ScenarioReport> {
  return withServers(async (keep) => {
    bench.note('applying the flags of the mix');
    const question = await prepare(bench, keep);
    const throughput = await compareThroughput(bench, question);
    const halfRate = fastestOf(throughput, 'bare') / 2;
    const rate = await findOpenLoopRate(bench, listOf(question, 'bare'), question.connections, halfRate);
    const comparisons = [...throughput, await compareLatency(bench, question, rate)];
    const targets = bench.settings.drivers.slice(0, 1).flatMap(targetsFor);
    return { scenario, comparisons, targets, missing: [] };
  });
}

function runBefore(bench: Bench, checkout: string): Promise<ScenarioReport> {
  const { flags, requests } = bench.settings.isQuick ? quick : full;
  return compareBuilds(bench, checkout, {
    scenario,
    title,
    projects: () => mixedProvision(flags),
    args: [],
    requestsOf: (provisioned) => mixedRequests(flags, provisioned, seed, requests),
    settings: { flags, 'different requests': requests },
  });
}

async function runElsewhere(bench: Bench, server: ServerElsewhere): Promise<ScenarioReport> {
  const { connections, isQuick } = bench.settings;
  const flags = isQuick ? quick.flags : flagsElsewhere;
  bench.note(`looking for ${flags} flags of the mix, and creating those that are not there`);
  const find = await ensureMixElsewhere(server, flags);
  const requests = requestsFor(flags, find, seed, (isQuick ? quick : full).requests);
  return await askElsewhere(bench, server, {
    scenario,
    title,
    what: 'The mix',
    requests,
    connections,
    settings: { flags, 'different requests': requests.length },
    remarks: ['No flag has an audience here: the Management API makes none.'],
  });
}

export const evaluateMixedScenario: Scenario = {
  name: scenario,
  summary:
    '10,000 flags by Zipf, keys, cohorts, attributes, unknown flags: against one flag, and a bare answer',
  runsElsewhere: true,
  runsBefore: true,
  run: (bench) => {
    const { elsewhere, checkoutBefore } = bench.settings;
    if (checkoutBefore !== null) return runBefore(bench, checkoutBefore);
    return elsewhere === null ? runHere(bench) : runElsewhere(bench, elsewhere);
  },
};
