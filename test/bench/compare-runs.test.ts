import t from 'tap';
import type { Comparison, ResultFile } from '../../bench/comparison.ts';
import { compareRuns, judgeMovement } from '../../bench/report/compare-runs.ts';
import { sampleComparison, sampleReport, sampleResult } from './sample-comparison.ts';

function resultsOf(...comparisons: readonly Comparison[]): readonly ResultFile[] {
  return comparisons.map((comparison) => sampleResult(sampleReport(comparison)));
}

t.test('a figure has moved when the rounds do not overlap and the medians differ by over 2 %', async (t) => {
  const more = (values: readonly number[]) => ({ values, better: 'more' as const });
  const less = (values: readonly number[]) => ({ values, better: 'less' as const });
  t.equal(judgeMovement([0.7, 0.71, 0.72], more([0.75, 0.76, 0.8])), 'better');
  t.equal(judgeMovement([0.7, 0.71, 0.72], less([0.75, 0.76, 0.8])), 'worse');
  t.equal(judgeMovement([0.75, 0.76], less([0.7, 0.71])), 'better');
  t.equal(judgeMovement([0.75, 0.76], more([0.7, 0.71])), 'worse');
  t.equal(judgeMovement([0.7, 0.71, 0.76], more([0.75, 0.8, 0.9])), 'within the noise', 'overlap');
  t.equal(judgeMovement([0.7, 0.701], more([0.71, 0.712])), 'within the noise', 'under 2 %');
  t.equal(judgeMovement([0, 0], less([0, 0])), 'within the noise');
  t.equal(judgeMovement([0, 0], less([3, 3])), 'worse');
  t.equal(judgeMovement([0.7], more([0.9, 0.9])), 'one round: cannot tell');
});

t.test('a machine that became twice as fast moves no figure', async (t) => {
  const saved = resultsOf(sampleComparison([70, 71, 72], [100, 100, 100]));
  const current = resultsOf(sampleComparison([140, 142, 144], [200, 200, 200]));
  const { movements, onlyOne, unlike } = compareRuns(saved, current);
  t.match(movements, [
    { contender: 'burgee', of: 'ratio', before: 0.71, now: 0.71, verdict: 'within the noise' },
  ]);
  t.equal(movements.length, 1, 'the base is not compared with itself');
  t.strictSame([onlyOne, unlike], [[], []]);
});

t.test('values are compared where ratios are meaningless', async (t) => {
  const saved = resultsOf(sampleComparison([5, 6], [0, 0]));
  const current = resultsOf(sampleComparison([1, 2], [0, 0]));
  t.match(compareRuns(saved, current).movements, [{ of: 'value', before: 5.5, now: 1.5, verdict: 'worse' }]);
});
