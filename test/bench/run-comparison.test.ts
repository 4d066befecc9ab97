import t from 'tap';
import { LatencyRecorder, readHistogram } from '../../bench/load/latency-histogram.ts';
import { findFigure } from '../../bench/report/figure.ts';
import { type ComparisonStep, runComparison } from '../../bench/run-comparison.ts';
import type { ComparisonPlan, ContenderPlan } from '../../bench/scenario.ts';

/** @returns a contender in this process that gives one figure after another */
function sampleContender(name: string, figures: readonly number[], log: string[] = []): ContenderPlan {
  let round = 0;
  return {
    name,
    what: `gives ${figures.join(', ')}`,
    isWarmedUp: false,
    measure: () => {
      log.push(name);
      const value = figures[round % figures.length] as number;
      round += 1;
      return Promise.resolve({ figures: { perSecond: value } });
    },
  };
}

/** @returns a histogram of latencies, in µs */
function sampleHistogram(latenciesUs: readonly number[]): string {
  const recorder = new LatencyRecorder();
  for (const us of latenciesUs) recorder.recordMs(us / 1000);
  return recorder.encode();
}

function planOf(contenders: readonly ContenderPlan[]): ComparisonPlan {
  return {
    id: 'sample',
    title: 'A sample',
    driver: 'in process',
    settings: {},
    base: 'base',
    metrics: [{ key: 'perSecond', label: 'a second', better: 'more', digits: 0 }],
    contenders,
  };
}

function optionsOf(rounds: number, isQuick = false) {
  const steps: ComparisonStep[] = [];
  const controller = new AbortController();
  const options = {
    settings: { seconds: 3, rounds, isQuick },
    signal: controller.signal,
    onStep: (step: ComparisonStep) => steps.push(step),
  };
  return { options, steps, controller };
}

t.test('contenders take turns, every other round in reverse', async (t) => {
  const log: string[] = [];
  const plan = planOf(['a', 'base', 'c'].map((name) => sampleContender(name, [1], log)));
  await runComparison(plan, optionsOf(3).options);
  t.equal(log.join(' '), 'a base c c base a a base c');
});

t.test('ratios are within a round; median, spread and noise are derived from them', async (t) => {
  const plan = planOf([
    sampleContender('base', [100, 200, 400]),
    sampleContender('steady', [50, 104, 192]),
    sampleContender('shaky', [50, 160, 200]),
  ]);
  const comparison = await runComparison(plan, optionsOf(3).options);
  const steady = findFigure(comparison, 'perSecond', 'steady');
  t.strictSame(steady?.ratios, [0.5, 0.52, 0.48]);
  t.equal(steady?.ratio, 0.5);
  t.ok(Math.abs((steady?.spread ?? 0) - 0.08) < 1e-9);
  t.equal(steady?.isNoise, false);
  t.match(findFigure(comparison, 'perSecond', 'shaky'), { ratio: 0.5, isNoise: true });
  t.match(findFigure(comparison, 'perSecond', 'base'), {
    ratio: 1,
    isBase: true,
    isNoise: false,
    median: 200,
  });
});

t.test('warm-up comes before the rounds, and its figures are not kept', async (t) => {
  const warmed: number[] = [];
  const base: ContenderPlan = {
    ...sampleContender('base', [1]),
    isWarmedUp: true,
    measure: (seconds) => {
      warmed.push(seconds);
      return Promise.resolve({ figures: { perSecond: warmed.length } });
    },
  };
  const { options, steps } = optionsOf(2);
  const comparison = await runComparison(planOf([base, sampleContender('other', [7])]), options);
  t.strictSame(warmed, [1, 3, 3]);
  t.strictSame(comparison.metrics[0]?.values, { base: [2, 3], other: [7, 7] });
  t.strictSame(
    steps.map(({ contender, round, done, total }) => [contender, round, done, total]),
    [
      ['base', 0, 0, 5],
      ['base', 1, 1, 5],
      ['other', 1, 2, 5],
      ['other', 2, 3, 5],
      ['base', 2, 4, 5],
    ],
  );
  await runComparison(planOf([base]), optionsOf(1, true).options);
  t.equal(warmed.length, 4, 'a quick run has no warm-up');
});

t.test('histograms of all rounds are merged', async (t) => {
  const histograms = [sampleHistogram([100, 200]), sampleHistogram([300, 4000])];
  const base: ContenderPlan = {
    ...sampleContender('base', [1]),
    measure: () => Promise.resolve({ figures: { perSecond: 1 }, histogram: histograms.pop() ?? '' }),
  };
  const comparison = await runComparison(planOf([base, sampleContender('other', [7])]), optionsOf(2).options);
  t.strictSame(Object.keys(comparison.histograms ?? {}), ['base']);
  const merged = readHistogram(comparison.histograms?.['base'] ?? '');
  t.equal(merged.count, 4);
  t.ok(merged.maxUs >= 4000 && merged.maxUs < 4010, `${merged.maxUs}`);
});

t.test('a missing figure, or one that is no number, fails with contender and round', async (t) => {
  const other = sampleContender('base', [1]);
  const run = (figures: readonly number[]) =>
    runComparison(planOf([other, sampleContender('odd', figures)]), optionsOf(2).options);
  await t.rejects(run([1, Number.NaN]), { message: /^comparison sample, odd, in round 2: perSecond is NaN/ });
  await t.rejects(run([Number.POSITIVE_INFINITY]), { message: /odd, in round 1: perSecond is Infinity/ });
  const lacking = { ...other, name: 'odd', measure: () => Promise.resolve({ figures: {} }) };
  await t.rejects(runComparison(planOf([other, lacking]), optionsOf(1).options), {
    message: /odd, in round 1: there is no figure for perSecond/,
  });
});

t.test("a contender's error is reported with comparison and round", async (t) => {
  const failing = {
    ...sampleContender('base', [1]),
    measure: () => Promise.reject(new Error('3 of 9: 503')),
  };
  await t.rejects(runComparison(planOf([failing]), optionsOf(1).options), {
    message: 'comparison sample, base, in round 1: 3 of 9: 503',
  });
});
