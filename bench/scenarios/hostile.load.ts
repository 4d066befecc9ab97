import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { type Attack, attackSizes, attacks, projectsOf, quickAttackSizes } from '../hostile/attacks.ts';
import { measureBeside } from '../hostile/measure-beside.ts';
import { buildsToCompare } from '../measure/compare-builds.ts';
import type { Bench, ComparisonPlan, Scenario } from '../scenario.ts';
import { type BenchDirectory, makeDirectory } from '../servers/bench-directory.ts';
import { mainProgram } from '../servers/programs.ts';

const scenario = 'hostile';
const alone = 'alone';
const attacked = 'attacked';
/** Of a quick run: one of strangers, one of evaluations, one of changes. */
const quickAttacks: ReadonlySet<string> = new Set(['tiny-chunks', 'cold-flags', 'small-changes']);
/** Each measurement starts a server of its own. */
const roundsMax = 3;

const metrics: ComparisonPlan['metrics'] = [
  { key: 'evaluationsAnswered', label: 'evaluations answered with 200, %', better: 'more', digits: 1 },
  { key: 'p50Ms', label: 'evaluations, p50, ms', better: 'less', digits: 2 },
  { key: 'p99Ms', label: 'p99, ms', better: 'less', digits: 2 },
  { key: 'slowestMs', label: 'slowest, ms', better: 'less', digits: 1 },
  { key: 'listsAnswered', label: 'lists answered with 200, %', better: 'more', digits: 1 },
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
    bound: { atMost: 20 },
  },
]);

/** What is served, and whether it is attacked. */
interface Siege {
  readonly name: string;
  readonly what: string;
  readonly program: string;
  readonly directory: BenchDirectory;
  readonly isAttacked: boolean;
}

function compareSieges(bench: Bench, attack: Attack, sieges: readonly Siege[]): Promise<Comparison> {
  const { seconds, isQuick, rounds } = bench.settings;
  const sizes = isQuick ? quickAttackSizes : attackSizes;
  const [{ name: base }] = sieges as readonly [Siege];
  return bench.compare({
    id: attack.id,
    title: `${attack.title}: what another tenant meets`,
    driver: 'evaluations and lists of another tenant, one after another',
    settings: { 'seconds a round': seconds, 'hostile clients': attack.clients },
    base,
    rounds: Math.min(roundsMax, rounds),
    metrics: attack.isWriting ? [...metrics, ...writingMetrics] : metrics,
    contenders: sieges.map(({ name, what, ...siege }) => ({
      name,
      what,
      isWarmedUp: false,
      measure: async (time) => ({ figures: await measureBeside({ ...siege, attack, sizes, seconds: time }) }),
    })),
  });
}

/** Makes a directory for each program, and removes them in the end. */
async function withDirectories<Result>(
  bench: Bench,
  attack: Attack,
  programs: readonly string[],
  run: (directories: readonly BenchDirectory[]) => Promise<Result>,
): Promise<Result> {
  const sizes = bench.settings.isQuick ? quickAttackSizes : attackSizes;
  const made: BenchDirectory[] = [];
  try {
    for (const program of programs)
      made.push(await makeDirectory(projectsOf(attack, sizes), undefined, program));
    return await run(made);
  } finally {
    for (const directory of made) directory.remove();
  }
}

function compareAttack(bench: Bench, attack: Attack): Promise<Comparison> {
  return withDirectories(bench, attack, [mainProgram], ([directory]) => {
    const served = { program: mainProgram, directory: directory as BenchDirectory };
    return compareSieges(bench, attack, [
      { ...served, name: alone, what: 'Burgee with two workers, without the attack', isAttacked: false },
      { ...served, name: attacked, what: 'The same beside the attack', isAttacked: true },
    ]);
  });
}

function compareAttackBefore(bench: Bench, attack: Attack, checkout: string): Promise<Comparison> {
  const builds = buildsToCompare(checkout);
  const programs = builds.map(({ program }) => program);
  return withDirectories(bench, attack, programs, (directories) => {
    const sieges = builds.map((build, index) => ({
      ...build,
      what: `${build.what}, beside the attack`,
      directory: directories[index] as BenchDirectory,
      isAttacked: true,
    }));
    return compareSieges(bench, attack, sieges);
  });
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const { checkoutBefore, isQuick } = bench.settings;
  const comparisons: Comparison[] = [];
  for (const attack of isQuick ? attacks.filter(({ id }) => quickAttacks.has(id)) : attacks) {
    bench.note(`provisioning for ${attack.id}`);
    comparisons.push(
      checkoutBefore === null
        ? await compareAttack(bench, attack)
        : await compareAttackBefore(bench, attack, checkoutBefore),
    );
  }
  const measured = targets.filter(({ comparison }) => comparisons.some(({ id }) => id === comparison));
  return { scenario, comparisons, targets: checkoutBefore === null ? measured : [], missing: [] };
}

export const hostileScenario: Scenario = {
  name: scenario,
  summary: 'six attacks by strangers and tenants: what another tenant meets meanwhile, and memory',
  runsElsewhere: false,
  runsBefore: true,
  run,
};
