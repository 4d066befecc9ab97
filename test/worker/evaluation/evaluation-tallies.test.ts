import t from 'tap';
import {
  countsHeldMax,
  countsIn,
  evaluationCountKind,
  type ProjectCount,
  UnrecordedUsage,
} from '../../../src/front/usage-recorder.ts';
import { newId } from '../../../src/support/random-id.ts';
import {
  type CountedEvaluations,
  collectIntervalMs,
  EvaluationTallies,
  talliesOfMessage,
} from '../../../src/worker/evaluation/evaluation-tallies.ts';

class Counts extends UnrecordedUsage<ProjectCount> {
  constructor() {
    super(evaluationCountKind);
  }

  addAll(counted: CountedEvaluations, now: number): void {
    for (const count of countsIn(counted, now)) this.add(count);
  }
}
const project = newId();
const tallyOf = (flagId = newId()) => ({
  projectId: project,
  flagId,
  environmentNumber: 3,
  on: 0,
  off: 0,
});

/** @param numbers for each flag: the environment's number, how often it was on, how often off */
function countedOf(flagIds: readonly string[], numbers: Iterable<number>, of = project): CountedEvaluations {
  const projectIds = of.repeat(flagIds.length);
  return { flagIds: flagIds.join(''), projectIds, numbers: Float64Array.from(numbers) };
}

t.test('counts are collected once, when due, and added up by flag and hour', async (test) => {
  const tallies = new EvaluationTallies();
  const counts = new Counts();
  const tally = tallyOf();
  // The same flag, compiled again.
  const again = tallyOf(tally.flagId);
  for (const isOn of [true, true, false]) tallies.count(tally, isOn);
  tallies.count(again, false);
  const collected = tallies.collect(collectIntervalMs);
  if (collected === null) throw new Error('collecting is due');
  test.equal(tallies.collect(collectIntervalMs), null);
  tallies.count(tally, true);
  test.equal(tallies.collect(2 * collectIntervalMs - 1), null, 'not before its time');
  counts.addAll(collected, 7_300_000);
  const rest = tallies.collectRest();
  if (rest === null) throw new Error('one evaluation was counted since');
  counts.addAll(rest, 7_300_000);
  const flag = { projectId: project, flagId: tally.flagId, environmentNumber: 3 };
  test.strictSame(counts.take(10), [{ ...flag, hour: 7_200_000, on: 3, off: 2 }]);
  test.equal(tallies.collectRest(), null);
  test.ok(counts.isEmpty);
  test.equal(counts.uncounted, 0, 'no count is lost');
});

t.test('counts of many flags are sent in parts, and none is lost in between', async (test) => {
  const tallies = new EvaluationTallies();
  const all = Array.from({ length: 2 * talliesOfMessage + 1 }, () => tallyOf());
  for (const tally of all) tallies.count(tally, true);
  const counts = new Counts();
  const sizes: number[] = [];
  for (
    let part = tallies.collect(collectIntervalMs);
    part !== null;
    part = tallies.collect(collectIntervalMs)
  ) {
    sizes.push(part.numbers.length / 3);
    counts.addAll(part, 0);
    const [first] = all;
    if (sizes.length === 1 && first !== undefined) tallies.count(first, false);
  }
  test.strictSame(sizes, [1000, 1000, 1]);
  const taken = counts.take(Number.POSITIVE_INFINITY);
  test.equal(taken.length, all.length);
  test.equal(
    taken.reduce((sum, { on, off }) => sum + on + off, 0),
    all.length + 1,
  );
  test.equal(counts.uncounted, 0, 'no count is lost');
});

t.test('counts that could not be recorded are put back', async (test) => {
  const counts = new Counts();
  const [one, other] = [newId(), newId()];
  counts.addAll(countedOf([one, other], [0, 1, 2, 0, 3, 4]), 0);
  const taken = counts.take(1);
  test.strictSame(
    taken.map(({ flagId, on, off }) => [flagId, on, off]),
    [[one, 1, 2]],
  );
  counts.addAll(countedOf([one], [0, 1, 1]), 0);
  for (const count of taken) counts.add(count);
  test.strictSame(
    counts.take(9).map(({ flagId, on, off }) => [flagId, on, off]),
    [
      [other, 3, 4],
      [one, 2, 3],
    ],
  );
});

t.test(
  'beyond its share of a project only a number is reported, and held flags are still counted',
  async (test) => {
    const counts = new Counts();
    const share = countsHeldMax / 2;
    const flagIds = Array.from({ length: share }, () => newId());
    const numbers = Array.from({ length: 3 * share }, (_, index) => (index % 3 === 1 ? 1 : 0));
    counts.addAll(countedOf(flagIds, numbers), 0);
    test.equal(counts.uncounted, 0, 'one that is alone has half of the bound');
    counts.addAll(countedOf([newId()], [0, 5, 2]), 0);
    test.equal(counts.uncounted, 7);
    const [first = ''] = flagIds;
    counts.addAll(countedOf([first], [0, 1, 1]), 0);
    test.equal(counts.uncounted, 7, 'a held flag keeps its place');
    for (let other = 0; other < 9; other += 1) {
      counts.addAll(countedOf([newId()], [0, 1, 0], newId()), 0);
    }
    test.equal(counts.uncounted, 7, 'other projects find room');
    const taken = counts.take(1);
    test.match(taken, [{ flagId: first, on: 2, off: 1 }]);
    for (const count of taken) counts.add(count);
    test.equal(counts.uncounted, 10, 'counts that could not be recorded and have lost their place');
  },
);
