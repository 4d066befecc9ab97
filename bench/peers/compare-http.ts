import type { Comparison, Target } from '../comparison.ts';
import { compareLatency } from '../measure/compare-latency.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import { fastestOf } from '../measure/median-of.ts';
import type { Question } from '../measure/question.ts';
import type { Bench, BenchSettings } from '../scenario.ts';
import type { HalfServer } from './half-server.ts';

const quickRateMax = 1000;

/** Two servers that get the same requests: the peer, which is the base, and Burgee. */
interface Pair {
  readonly peer: HalfServer;
  readonly burgee: HalfServer;
}

/** The suffix of its comparisons' ids: `-unleash-proxy` for `@unleash/proxy`. */
function suffixOf({ peer }: Pair): string {
  return `-${peer.name.replace(/[^a-z]+/g, '-').replace(/^-/, '')}`;
}

function toQuestion(pair: Pair, title: string, { connections }: BenchSettings): Question {
  const { peer, burgee } = pair;
  return {
    title,
    base: peer.name,
    contenders: [peer, burgee],
    connections,
    settings: { users: peer.list.requests.length },
    idSuffix: suffixOf(pair),
  };
}

/** @returns half of the slowest peer's throughput, in whole requests a second */
function chooseRate(throughputs: readonly Comparison[], pairs: readonly Pair[], isQuick: boolean): number {
  const ofPeers = pairs.map(({ peer }) => {
    const its = throughputs.filter(({ base }) => base === peer.name);
    return fastestOf(its, peer.name);
  });
  const rate = Math.max(1, Math.floor(Math.min(...ofPeers) / 2));
  return isQuick ? Math.min(rate, quickRateMax) : rate;
}

function targetsOf(pair: Pair, { drivers }: BenchSettings): readonly Target[] {
  const { peer, burgee } = pair;
  const throughput = drivers.map(
    (driver): Target => ({
      what: `requests a second against ${peer.name}, ${driver}`,
      comparison: `throughput-${driver}${suffixOf(pair)}`,
      metric: 'requestsPerSecond',
      contender: burgee.name,
      of: 'ratio',
      bound: { atLeast: 10 },
    }),
  );
  const latency: Target = {
    what: `p99 against ${peer.name} at the same rate`,
    comparison: `latency${suffixOf(pair)}`,
    metric: 'p99Us',
    contender: burgee.name,
    of: 'ratio',
    bound: { atMost: 1 },
  };
  return [...throughput, latency];
}

/**
 * Compares Burgee with each peer: throughput in a closed loop, then latencies at one rate that all of them can hold.
 * All servers run meanwhile; those that are not being measured are idle.
 */
export async function compareHttp(
  bench: Bench,
  peers: readonly HalfServer[],
  burgee: HalfServer,
): Promise<{ readonly comparisons: readonly Comparison[]; readonly targets: readonly Target[] }> {
  const { settings } = bench;
  const pairs = peers.map((peer): Pair => ({ peer, burgee }));
  const throughputs: Comparison[] = [];
  for (const pair of pairs) {
    const title = `Is a flag at 50 % on for this user? Asked of ${pair.peer.name} and of Burgee, each as fast as it answers.`;
    throughputs.push(...(await compareThroughput(bench, toQuestion(pair, title, settings))));
  }
  const requestsPerSecond = chooseRate(throughputs, pairs, settings.isQuick);
  const rate = {
    requestsPerSecond,
    remarks: ['The rate is at most half of the throughput of the slowest peer.'],
  };
  const latencies: Comparison[] = [];
  for (const pair of pairs) {
    const title = `Latencies of ${pair.peer.name} and of Burgee at a rate that every peer can hold.`;
    latencies.push(await compareLatency(bench, toQuestion(pair, title, settings), rate));
  }
  const targets = pairs.flatMap((pair) => targetsOf(pair, settings));
  return { comparisons: [...throughputs, ...latencies], targets };
}
