import t, { type Test } from 'tap';
import type { Flag, FlagState } from '../../../src/domain/flag/flag.ts';
import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import { EvaluationMeter } from '../../../src/worker/evaluation/evaluation-meter.ts';
import { evaluationMetrics } from '../../../src/worker/evaluation/evaluation-metrics-protocol.ts';
import { EvaluationTallies } from '../../../src/worker/evaluation/evaluation-tallies.ts';
import { FlagEvaluator } from '../../../src/worker/evaluation/flag-evaluator.ts';
import { FlagSource } from '../../../src/worker/evaluation/flag-source.ts';
import { audienceOf, flagChangeOf, flagOf, projectOf } from '../../storage/support/records.ts';
import { newStore } from '../../storage/support/sample-store.ts';
import { createRandom } from '../../support/random.ts';

/*
 * Flags that are too long to be read at once, and together too many for the cache: their memory is used again.
 */

const textsInList = 6000;
const flagCount = 12;

/** A list of some 120 KB. */
function textsOf(place: string): string[] {
  return Array.from({ length: textsInList }, (_, index) => `${place}-${index}`.padEnd(20, '.'));
}

function statesOf(change: Partial<FlagState>): ReadonlyMap<number, FlagState> {
  return new Map([
    [0, { enabled: true, trafficPercentage: 0, cohortOverride: null, audienceId: null, ...change }],
  ]);
}

/** Flags of which the even ones have a long list of cohorts, and the odd ones a long audience. */
function newScene(test: Test, cacheBytes: number) {
  const { store, reader, version } = newStore(test);
  const meter = new EvaluationMeter(createMetricMemory(evaluationMetrics));
  const source = new FlagSource(reader, version, cacheBytes, meter);
  const evaluator = new FlagEvaluator(source, '/docs', meter, new EvaluationTallies());
  const project = projectOf('o'.repeat(20));
  store.write(({ apply }) => apply([{ kind: 'project', before: null, after: project }]));
  const flags: Flag[] = [];
  for (let index = 0; index < flagCount; index += 1) {
    const name = `f${index}`;
    const rules = [{ attribute: 'plan', values: textsOf(`${index}`) }];
    const audience = audienceOf(project.id, { name: `a${index}`, rules });
    const isApplied = index % 2 === 1;
    const states = isApplied
      ? statesOf({ trafficPercentage: 100, audienceId: audience.id })
      : statesOf({ cohortOverride: textsOf(`${index}`) });
    const flag = flagOf(project.id, { name, states });
    flags.push(flag);
    store.write(({ apply }) =>
      apply([{ kind: 'audience', before: null, after: audience }, flagChangeOf(null, flag)]),
    );
  }
  const write = (before: Flag, after: Flag): void => {
    store.write(({ apply }) => apply([flagChangeOf(before, after)]));
  };
  /** Asks whether a text of the list of `place` is in the list of the flag at `index`. @param onAnswer receives it */
  const ask = (index: number, place: number, onAnswer: (isOn: boolean) => void): void => {
    const attribute = index % 2 === 1 ? 'plan' : 'cohort';
    const query = `${attribute}=${`${place}-${textsInList - 1}`.padEnd(20, '.')}&targetingKey=k`;
    const retry = (): boolean => {
      source.refresh();
      const isAnswered = evaluator.evaluate(flags[index]?.id ?? '', query);
      if (isAnswered) onAnswer(JSON.parse(evaluator.body).enabled);
      return isAnswered;
    };
    const deadlineMs = Number.POSITIVE_INFINITY;
    if (!retry()) source.loads.add(source.cold, { asker: '', deadlineMs, retry, expire: () => undefined });
  };
  const load = (): void => {
    while (!source.loads.isEmpty) source.loads.run(0);
  };
  /** Asks once for each of the flags, one after the other. @returns how many were answered at once */
  const askEach = (indexes: readonly number[]): number => {
    let atOnce = 0;
    for (const index of indexes) {
      let isOn: boolean | null = null;
      ask(index, index, (answer) => {
        isOn = answer;
      });
      if (isOn !== null) atOnce += 1;
      load();
      test.equal(isOn, true, `flag ${index}`);
    }
    return atOnce;
  };
  const kept = (): number[] =>
    flags.flatMap(({ id }, index) => (source.cache.peek(id) === undefined ? [] : [index]));
  return { source, flags, write, ask, load, askEach, kept };
}

const all = Array.from({ length: flagCount }, (_, index) => index);
/** Of which the cache for flags takes three eighths: room for some of the flags. */
const cacheBytes = 1_600_000;

t.test(
  'who asks for more long flags than the cache holds displaces none, so that some are found',
  async (test) => {
    const { askEach, kept } = newScene(test, cacheBytes);
    askEach(all);
    const first = kept();
    test.ok(first.length >= 2 && first.length < flagCount / 2, `${first} are kept`);
    for (let round = 0; round < 3; round += 1) {
      test.equal(askEach(all), first.length, 'the kept ones are answered at once');
      test.same(kept(), first);
    }
  },
);

t.test(
  'flags that are asked for again take the place of those that nobody asks for any more',
  async (test) => {
    const { askEach, kept } = newScene(test, cacheBytes);
    askEach(all);
    const others = all.filter((index) => !kept().includes(index)).slice(0, 2);
    askEach(others);
    for (const index of others) test.ok(kept().includes(index), `flag ${index} of ${kept()}`);
    test.equal(askEach(others), others.length);
  },
);

t.test('answers are right while flags wait, change and are read into the same memory', async (test) => {
  const { source, flags, write, ask, load } = newScene(test, cacheBytes);
  const seed = 20_261_125;
  const { chance, integer } = createRandom(seed);
  const below = (limit: number): number => integer(0, limit - 1);
  /** The place whose texts a flag has in its list. */
  const places = [...all];
  const wrong: string[] = [];
  let answered = 0;
  const asked = 3000;
  for (let question = 0; question < asked; question += 1) {
    const index = below(flagCount);
    const place = chance(0.5) ? (places[index] ?? 0) : below(flagCount);
    ask(index, place, (isOn) => {
      answered += 1;
      if (isOn !== (places[index] === place))
        wrong.push(`question ${question}: flag ${index}, place ${place}`);
    });
    for (let step = below(40); step > 0; step -= 1) source.loads.run(0);
    if (chance(0.02)) {
      const changed = below(flagCount / 2) * 2;
      const flag = flags[changed];
      if (flag === undefined) continue;
      const newPlace = below(flagCount);
      const states = statesOf({ cohortOverride: textsOf(`${newPlace}`) });
      const after = { ...flag, states, revision: flag.revision + 1 };
      write(flag, after);
      flags[changed] = after;
      places[changed] = newPlace;
    }
  }
  load();
  test.same(wrong, [], `seed ${seed}`);
  test.equal(answered, asked);
});
