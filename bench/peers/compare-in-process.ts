import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Comparison, Target } from '../comparison.ts';
import type { Bench, ContenderPlan } from '../scenario.ts';
import { measureEvaluations } from './measure-evaluations.ts';
import { peersFolder, versionOfPeer } from './peer-packages.ts';

const comparisonId = 'in-process';
const base = '@openfeature/flagd-core';
const ours = 'burgee: evaluateFlag';
const oursDecoding = 'burgee: query and evaluateFlag';

interface InProcessContender {
  readonly name: string;
  readonly what: string;
  /** The URL of its `EvaluatorModule`. */
  readonly url: string;
}

function peer(name: string, adapter: string, call: string): InProcessContender {
  const url = pathToFileURL(join(peersFolder, 'adapters', `${adapter}.mjs`)).href;
  return { name, what: `${name} ${versionOfPeer(name)}: ${call}, from a string`, url };
}

function listContenders(): readonly InProcessContender[] {
  return [
    peer(base, 'flagd-core', "resolveBooleanEvaluation('half', false, { targetingKey }), targeting compiled"),
    peer('unleash-client', 'unleash-client', "isEnabled('half', { userId }), bootstrapped, metrics off"),
    peer('@growthbook/growthbook', 'growthbook', "GrowthBookClient.isOn('half', { attributes: { id } })"),
    {
      name: ours,
      what: 'evaluateFlag alone, its contexts decoded beforehand',
      url: new URL('./burgee-context-evaluator.js', import.meta.url).href,
    },
    {
      name: oursDecoding,
      what: "a query's raw bytes decoded, then selectState and evaluateFlag, as for each request",
      url: new URL('./burgee-query-evaluator.js', import.meta.url).href,
    },
  ];
}

function toPlan({ name, what, url }: InProcessContender, users: number): ContenderPlan {
  return {
    name,
    what: `${what}; node ${process.versions.node} evaluation-program.js`,
    // Each process warms itself up.
    isWarmedUp: false,
    measure: async (seconds) => ({ figures: { ...(await measureEvaluations(url, users, seconds)) } }),
  };
}

/** Compares libraries that evaluate in the caller's process with the domain's `evaluateFlag`. */
export function compareInProcess(bench: Bench, users: number): Promise<Comparison> {
  return bench.compare({
    id: comparisonId,
    title: 'A flag at 50 % is evaluated for one user after another, in process.',
    driver: 'in process',
    settings: { users, 'seconds a round': bench.settings.seconds, processes: 'one a contender and round' },
    base,
    metrics: [
      { key: 'evaluationsPerSecond', label: 'evaluations a second', better: 'more', digits: 0 },
      { key: 'cpuNs', label: 'CPU per evaluation, ns', better: 'less', digits: 1 },
    ],
    contenders: listContenders().map((contender) => toPlan(contender, users)),
  });
}

export const inProcessTargets: readonly Target[] = [
  {
    what: 'evaluateFlag against flagd-core',
    comparison: comparisonId,
    metric: 'evaluationsPerSecond',
    contender: ours,
    of: 'ratio',
    bound: { atLeast: 5 },
  },
  {
    what: 'evaluateFlag, the query decoded, on one core',
    comparison: comparisonId,
    metric: 'evaluationsPerSecond',
    contender: oursDecoding,
    of: 'value',
    bound: { atLeast: 3_000_000 },
  },
];
