import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import {
  type Attack,
  type AttackSizes,
  attackSizes,
  attacks,
  projectsOf,
  quickAttackSizes,
} from '../hostile/attacks.ts';
import { measureDuringAttack } from '../hostile/measure-during-attack.ts';
import { buildsToCompare } from '../measure/compare-builds.ts';
import type { Bench, ComparisonPlan, Scenario } from '../scenario.ts';
import type { BenchDirectory } from '../servers/bench-directory.ts';
import { mainProgram } from '../servers/programs.ts';
import { withDirectories } from '../servers/with-directories.ts';

const scenario = 'hostile';
/** The result against an older build has its own file. */
const scenarioBefore = `${scenario}-before`;
const alone = 'alone';
const attacked = 'attacked';
/** Attacks of a quick run: one by anonymous clients, one with evaluations, one with changes. */
const quickAttacks: ReadonlySet<string> = new Set(['tiny-chunks', 'cold-flags', 'small-changes']);
/** Fewer rounds, because each measurement starts its own server. */
const roundsMax = 3;

const metrics: ComparisonPlan['metrics'] = [
  { key: 'evaluationsAnswered', label: 'evaluations answered with 200, %', better: 'more', digits: 1 },
  { key: 'p50Ms', label: 'evaluations, p50, ms', better: 'less', digits: 2 },
  { key: 'p99Ms', label: 'p99, ms', better: 'less', digits: 2 },
  { key: 'slowestMs', label: 'slowest, ms', better: 'less', digits: 1 },
  {
    key: 'listsAnswered',
    label: 'lists, names, console and audit answered with 200, %',
    better: 'more',
    digits: 1,
  },
  { key: 'grownMb', label: 'memory grown by, MB', better: 'less', digits: 0 },
];
const writingMetrics: ComparisonPlan['metrics'] = [
  { key: 'changes', label: 'hostile changes', better: 'more', digits: 0 },
  { key: 'storedMb', label: 'data grown by, MB', better: 'less', digits: 1 },
];

const targets: readonly Target[] = attacks.flatMap(({ id }) => [
  {
    what: 'evaluations of another tenant answered with 200, %',
    comparison: id,
    metric: 'evaluationsAnswered',
    contender: attacked,
    of: 'value',
    bound: { atLeast: 100 },
  },
  {
    what: 'their p99, ms',
    comparison: id,
    metric: 'p99Ms',
    contender: attacked,
    of: 'value',
    bound: { atMost: 50 },
  },
]);

/** A server, attacked or not. */
interface ServerUnderTest {
  readonly name: string;
  readonly what: string;
  readonly program: string;
  readonly directory: BenchDirectory;
  readonly isAttacked: boolean;
}

function compareServers(
  bench: Bench,
  attack: Attack,
  sizes: AttackSizes,
  servers: readonly ServerUnderTest[],
): Promise<Comparison> {
  const { seconds, rounds } = bench.settings;
  const [{ name: base }] = servers as readonly [ServerUnderTest];
  return bench.compare({
    id: attack.id,
    title: `${attack.title}: what another tenant notices`,
    driver: 'evaluations and reads of another tenant, one after another',
    settings: { 'seconds a round': seconds, 'hostile clients': attack.clients },
    base,
    rounds: Math.min(roundsMax, rounds),
    metrics: attack.isWriting ? [...metrics, ...writingMetrics] : metrics,
    contenders: servers.map(({ name, what, ...server }) => ({
      name,
      what,
      isWarmedUp: false,
      measure: async (time) => ({
        figures: await measureDuringAttack({ ...server, attack, sizes, seconds: time }),
      }),
    })),
  });
}

/** Compares this build under attack with itself alone, or with an older build under the same attack. */
function compareAttack(bench: Bench, attack: Attack, sizes: AttackSizes): Promise<Comparison> {
  const { checkoutBefore } = bench.settings;
  const projects = projectsOf(attack, sizes);
  return withDirectories(async (make) => {
    const servers: ServerUnderTest[] = [];
    if (checkoutBefore === null) {
      const served = { program: mainProgram, directory: await make(projects) };
      servers.push(
        { ...served, name: alone, what: 'Burgee with two workers, without the attack', isAttacked: false },
        { ...served, name: attacked, what: 'The same during the attack', isAttacked: true },
      );
    } else
      for (const build of buildsToCompare(checkoutBefore)) {
        const directory = await make(projects, undefined, build.program);
        servers.push({ ...build, what: `${build.what}, during the attack`, directory, isAttacked: true });
      }
    return await compareServers(bench, attack, sizes, servers);
  });
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const { checkoutBefore, isQuick } = bench.settings;
  const sizes = isQuick ? quickAttackSizes : attackSizes;
  const comparisons: Comparison[] = [];
  for (const attack of isQuick ? attacks.filter(({ id }) => quickAttacks.has(id)) : attacks) {
    bench.note(`provisioning for ${attack.id}`);
    comparisons.push(await compareAttack(bench, attack, sizes));
  }
  const measured = targets.filter(({ comparison }) => comparisons.some(({ id }) => id === comparison));
  return checkoutBefore === null
    ? { scenario, comparisons, targets: measured, missing: [] }
    : { scenario: scenarioBefore, comparisons, targets: [], missing: [] };
}

export const hostileScenario: Scenario = {
  name: scenario,
  summary: 'attacks by anonymous clients and tenants: what another tenant notices, and memory',
  runsElsewhere: false,
  runsBefore: true,
  run,
};
