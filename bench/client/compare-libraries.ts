import type { Comparison, Target } from '../comparison.ts';
import { measureEvaluations } from '../peers/measure-evaluations.ts';
import { versionOfPeer } from '../peers/peer-packages.ts';
import type { Bench, ContenderPlan } from '../scenario.ts';
import { adapterUrl } from './attributes-question.ts';

const comparisonId = 'in-process';
const ours = 'burgee-client';
/** Number of users, whose contexts are made beforehand. */
const usersHere = 10_000;
const quickUsers = 1000;

/** Adapter and call of each peer, by its package's name. */
const peers = {
  '@openfeature/flagd-core': ['flagd-core', "resolveBooleanEvaluation('half', false, context)"],
  'unleash-client': ['unleash-client', "isEnabled('half', context), bootstrapped, metrics off"],
  '@growthbook/growthbook': ['growthbook', "GrowthBookClient.isOn('half', context)"],
  '@launchdarkly/node-server-sdk': [
    'launchdarkly',
    "boolVariation('half', context, false), awaited, flags in memory, no events",
  ],
} as const;
type PeerName = keyof typeof peers;
export const clientPeers = Object.keys(peers) as readonly PeerName[];

function planOf(name: string, what: string, url: string, users: number): ContenderPlan {
  return {
    name,
    what: `${what}; node ${process.versions.node} evaluation-program.js`,
    // Each process warms itself up.
    isWarmedUp: false,
    measure: async (seconds) => ({ figures: { ...(await measureEvaluations(url, users, seconds)) } }),
  };
}

/** Compares the client with other libraries that evaluate in the caller's process. */
export function compareLibraries(bench: Bench): Promise<Comparison> {
  const users = bench.settings.isQuick ? quickUsers : usersHere;
  const evaluator = new URL('./burgee-client-evaluator.js', import.meta.url).href;
  return bench.compare({
    id: comparisonId,
    title:
      'A flag with a rule on two attributes, at 50 %, is evaluated for users with five attributes, in process.',
    driver: 'in process',
    settings: { users, 'seconds a round': bench.settings.seconds, processes: 'one a contender and round' },
    base: ours,
    metrics: [
      { key: 'evaluationsPerSecond', label: 'evaluations a second', better: 'more', digits: 0 },
      { key: 'cpuNs', label: 'CPU per evaluation, ns', better: 'less', digits: 1 },
    ],
    contenders: [
      planOf(ours, "burgee-client: isOn('half', context, false), from a bootstrap", evaluator, users),
      ...clientPeers.map((name) => {
        const [adapter, call] = peers[name];
        return planOf(name, `${name} ${versionOfPeer(name)}: ${call}`, adapterUrl(adapter), users);
      }),
    ],
  });
}

export const libraryTargets: readonly Target[] = [
  {
    what: 'burgee-client, five attributes, CPU ns',
    comparison: comparisonId,
    metric: 'cpuNs',
    contender: ours,
    of: 'value',
    bound: { atMost: 200 },
  },
  ...clientPeers.map(
    (contender): Target => ({
      what: `${contender} against burgee-client: a fifth, better a tenth`,
      comparison: comparisonId,
      metric: 'evaluationsPerSecond',
      contender,
      of: 'ratio',
      bound: { atMost: 0.2 },
    }),
  ),
];
