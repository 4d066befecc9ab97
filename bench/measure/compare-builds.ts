import { repositoryRoot } from '../../test/support/repository-root.ts';
import type { Comparison, ScenarioReport } from '../comparison.ts';
import type { BenchRequest } from '../load/request-list.ts';
import type { Bench } from '../scenario.ts';
import type { Provisioned } from '../servers/bench-directory.ts';
import { commitOf, programIn } from '../servers/checkout.ts';
import { mainProgram } from '../servers/programs.ts';
import type { ProvisionedPart } from '../servers/provision-file.ts';
import { startBurgee } from '../servers/start-burgee.ts';
import { type KeepServer, withServers } from '../servers/with-servers.ts';
import { compareLatency } from './compare-latency.ts';
import { compareThroughput } from './compare-throughput.ts';
import { fastestOf } from './median-of.ts';
import { findOpenLoopRate } from './open-loop-rate.ts';
import { listOf, type Question } from './question.ts';

/** A build of Burgee, as a contender. */
export interface Build {
  readonly name: 'before' | 'burgee';
  readonly what: string;
  readonly program: string;
}

/** The load for both builds. */
interface LoadOfBuilds {
  readonly scenario: string;
  readonly title: string;
  /** Provisioned by each build itself, because a store of the newer one may be unknown to the older. */
  readonly projects: () => Iterable<ProvisionedPart>;
  /** Arguments of `serve`, without the directory, host and port. */
  readonly args: readonly string[];
  readonly requestsOf: (provisioned: Provisioned) => readonly BenchRequest[];
  readonly settings: Comparison['settings'];
}

/** The name of the contender that the other is compared with. */
export const buildBefore = 'before';

/**
 * The build of an older commit, and this one.
 *
 * @param checkout a built checkout
 */
export function buildsToCompare(checkout: string): readonly Build[] {
  const describe = (folder: string): string => `Burgee, built at ${commitOf(folder)}`;
  return [
    { name: buildBefore, what: describe(checkout), program: programIn(checkout) },
    { name: 'burgee', what: describe(repositoryRoot()), program: mainProgram },
  ];
}

/** Compares evaluations of this build with those of an older commit: their throughput, CPU and latency. */
export function compareBuilds(bench: Bench, checkout: string, asked: LoadOfBuilds): Promise<ScenarioReport> {
  return withServers(async (keep) => {
    const question = await questionFor(bench, buildsToCompare(checkout), asked, keep);
    const throughput = await compareThroughput(bench, question);
    const halfRate = fastestOf(throughput, buildBefore) / 2;
    const list = listOf(question, buildBefore);
    const rate = await findOpenLoopRate(bench, list, question.connections, halfRate);
    const comparisons = [...throughput, await compareLatency(bench, question, rate)];
    return { scenario: asked.scenario, comparisons, targets: [], missing: [] };
  });
}

async function questionFor(
  { settings }: Bench,
  builds: readonly Build[],
  asked: LoadOfBuilds,
  keep: KeepServer,
): Promise<Question> {
  const contenders = [];
  for (const { program, ...shown } of builds) {
    const { origin, pid, provisioned } = await keep(
      startBurgee(asked.projects(), { program, args: asked.args }),
    );
    contenders.push({ ...shown, pid, list: { origin, requests: asked.requestsOf(provisioned) } });
  }
  return {
    title: `${asked.title}: this build against an older one`,
    base: buildBefore,
    connections: settings.connections,
    idSuffix: `-${buildBefore}`,
    settings: asked.settings,
    contenders,
  };
}
