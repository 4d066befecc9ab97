import type { MissingContender, ScenarioReport } from '../../comparison.ts';
import type { Bench } from '../../scenario.ts';
import { checkSameAnswers, readAnswer } from '../../servers/same-answers.ts';
import { startBareServer } from '../../servers/start-limits.ts';
import { binaryPeers } from './binary-peers.ts';
import { startBurgeeRules } from './burgee-rules.ts';
import { compareBinaries, type LocalContender } from './compare-binaries.ts';
import { checkRule, type RuleServer } from './rule-server.ts';
import { startBinary } from './start-binary.ts';

/** How many users are checked, twice each, before measuring. */
const checkedUsers = 1000;
const quickCheckedUsers = 200;

async function startBare({ list }: RuleServer): Promise<LocalContender & Pick<RuleServer, 'stop'>> {
  const path = list.requests[0]?.path ?? '';
  const { body } = await readAnswer(list.origin, path);
  const { origin, pid, stop } = await startBareServer(body);
  try {
    await checkSameAnswers(path, { burgee: list.origin, bare: origin });
  } catch (fault) {
    await stop();
    throw fault;
  }
  const what = "The limit: a constant answer of uWebSockets.js, with Burgee's headers and as many bytes";
  return { name: 'bare', what, pid, list: { origin, requests: list.requests }, stop };
}

function missingOf(given: ReadonlyMap<string, string>): readonly MissingContender[] {
  return binaryPeers
    .filter(({ name }) => !given.has(name))
    .map(({ name }) => ({ name, why: `its program was not given (--peer ${name}=PATH)` }));
}

/**
 * Starts the programs that the command line names, checks their answers, and compares them with Burgee.
 *
 * @throws Error when one does not start, or answers wrongly
 */
export async function runBinaries(bench: Bench, users: number): Promise<Omit<ScenarioReport, 'scenario'>> {
  const { peerPrograms, isQuick } = bench.settings;
  const missing = missingOf(peerPrograms);
  if (peerPrograms.size === 0) return { comparisons: [], targets: [], missing };
  const started: Pick<RuleServer, 'stop'>[] = [];
  const keep = async <Server extends Pick<RuleServer, 'stop'>>(
    starting: Promise<Server>,
  ): Promise<Server> => {
    const server = await starting;
    started.push(server);
    return server;
  };
  try {
    const peers: RuleServer[] = [];
    for (const peer of binaryPeers) {
      const program = peerPrograms.get(peer.name);
      if (program === undefined) continue;
      bench.note(`starting ${peer.name}`);
      peers.push(await keep(startBinary(peer, program, users)));
    }
    const burgee = await keep(startBurgeeRules(users));
    for (const server of [burgee, ...peers])
      await checkRule(server, isQuick ? quickCheckedUsers : checkedUsers);
    const contenders = [burgee, await keep(startBare(burgee)), ...peers];
    const names = peers.map(({ name }) => name);
    return { ...(await compareBinaries(bench, contenders, names)), missing };
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}
