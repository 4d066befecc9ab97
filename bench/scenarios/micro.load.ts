import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { measureMicro } from '../micro/measure-micro.ts';
import type { MicroBench } from '../micro/micro-bench.ts';
import { microBenches } from '../micro/micro-benches.ts';
import type { Bench, Scenario } from '../scenario.ts';

function compareMicro(bench: Bench, micro: MicroBench): Promise<Comparison> {
  return bench.compare({
    id: micro.name,
    title: micro.title,
    driver: 'in process, tinybench',
    settings: { 'seconds a round': bench.settings.seconds, processes: 'one a contender and round' },
    base: micro.base,
    metrics: [
      { key: 'operationsPerSecond', label: `${micro.operation} a second`, better: 'more', digits: 0 },
      { key: 'nsPerOperation', label: 'ns per operation', better: 'less', digits: 1 },
    ],
    contenders: Object.entries(micro.contenders).map(([name, { what }]) => ({
      name,
      what,
      // Each process warms itself up.
      isWarmedUp: false,
      measure: async (seconds) => ({ figures: { ...(await measureMicro(micro.name, name, seconds)) } }),
    })),
  });
}

function targetsOf(micro: MicroBench): readonly Target[] {
  return micro.claims.map(({ what, contender, of, atLeast }) => ({
    what,
    comparison: micro.name,
    metric: 'operationsPerSecond',
    contender,
    of,
    bound: { atLeast },
  }));
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const comparisons: Comparison[] = [];
  for (const micro of microBenches) comparisons.push(await compareMicro(bench, micro));
  return { scenario: 'micro', comparisons, targets: microBenches.flatMap(targetsOf), missing: [] };
}

export const microScenario: Scenario = {
  name: 'micro',
  summary: 'hash, query decoding, compile, evaluate and record codec, in process',
  runsElsewhere: false,
  run,
};
