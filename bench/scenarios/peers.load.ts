import type { MissingContender, ScenarioReport } from '../comparison.ts';
import { runBinaries } from '../peers/binaries/run-binaries.ts';
import { checkHalf } from '../peers/check-half.ts';
import { compareHttp } from '../peers/compare-http.ts';
import { compareInProcess, inProcessTargets } from '../peers/compare-in-process.ts';
import { type HalfServer, startBurgeeHalf } from '../peers/half-server.ts';
import { installPeers } from '../peers/peer-packages.ts';
import { startUnleashProxy, startUnleashServer } from '../peers/unleash-servers.ts';
import type { Bench, Scenario } from '../scenario.ts';

/** The names of all peers from npm, for the report if none can be installed. */
const peerNames = [
  '@unleash/proxy',
  'unleash-server',
  '@openfeature/flagd-core',
  'unleash-client',
  '@growthbook/growthbook',
] as const;
/** How many users are checked, twice each, before measuring. */
const checkedUsers = 2000;
const quickCheckedUsers = 200;

type Part = Omit<ScenarioReport, 'scenario'>;

function textOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}

/** Starts the HTTP peers that this machine can run, reports those that it cannot, and stops all that were started. */
async function runHttp(bench: Bench, users: number): Promise<Part> {
  const starts: readonly [string, () => Promise<HalfServer>][] = [
    ['@unleash/proxy', () => startUnleashProxy(users)],
    ['unleash-server', () => startUnleashServer(users, (text) => bench.note(text))],
  ];
  const peers: HalfServer[] = [];
  const missing: MissingContender[] = [];
  try {
    for (const [name, start] of starts) {
      try {
        peers.push(await start());
      } catch (fault) {
        missing.push({ name, why: textOf(fault) });
      }
    }
    if (peers.length === 0) return { comparisons: [], targets: [], missing };
    return { ...(await compareWithBurgee(bench, peers, users)), missing };
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
  }
}

async function compareWithBurgee(
  bench: Bench,
  peers: readonly HalfServer[],
  users: number,
): Promise<Omit<Part, 'missing'>> {
  const burgee = await startBurgeeHalf(users);
  try {
    for (const server of [...peers, burgee]) {
      await checkHalf(server, bench.settings.isQuick ? quickCheckedUsers : checkedUsers);
    }
    return await compareHttp(bench, peers, burgee);
  } finally {
    await burgee.stop();
  }
}

/** Compares with peers from npm: servers and libraries in JavaScript. */
async function runPackages(bench: Bench, users: number): Promise<Part> {
  try {
    await installPeers((text) => bench.note(text));
  } catch (fault) {
    const why = textOf(fault);
    return { comparisons: [], targets: [], missing: peerNames.map((name) => ({ name, why })) };
  }
  const http = await runHttp(bench, users);
  return {
    comparisons: [...http.comparisons, await compareInProcess(bench, users)],
    targets: [...http.targets, ...inProcessTargets],
    missing: http.missing,
  };
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const users = bench.settings.isQuick ? 1000 : 100_000;
  // First, so that a program that does not start is reported before minutes of measuring.
  const binaries = await runBinaries(bench, users);
  const packages = await runPackages(bench, users);
  return {
    scenario: peersScenario.name,
    comparisons: [...binaries.comparisons, ...packages.comparisons],
    targets: [...binaries.targets, ...packages.targets],
    missing: [...binaries.missing, ...packages.missing],
  };
}

export const peersScenario: Scenario = {
  name: 'peers',
  summary:
    'what a user would pick instead: servers whose programs --peer gives; Unleash over HTTP; libraries in process',
  runsElsewhere: false,
  run,
};
