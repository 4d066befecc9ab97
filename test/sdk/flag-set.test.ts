import t from 'tap';
import { FlagAnswers } from '../../src/sdk/configuration/flag-answers.ts';
import { FlagSet } from '../../src/sdk/configuration/flag-set.ts';
import { HeldConfiguration } from '../../src/sdk/configuration/held-configuration.ts';
import { UnusableConfiguration } from '../../src/sdk/configuration/sync-shapes.ts';
import { createRandom } from '../support/random.ts';
import {
  type Configuration,
  changeAtRandom,
  expectedAnswer,
  idFrom,
  randomConfiguration,
  randomFlag,
  randomQuestion,
} from './wire/random-configuration.ts';

function contentOf({ flags, audiences }: Configuration) {
  return { flags: [...flags.values()], audiences: [...audiences.values()] };
}

t.test('random questions get the answers of the rules, and explain gives the same', async (t) => {
  const random = createRandom(1);
  const configuration = randomConfiguration(random, 200);
  const flags = new FlagSet();
  flags.replace(contentOf(configuration));
  const answers = new FlagAnswers(flags);
  const wrong: unknown[] = [];
  for (let count = 0; count < 10_000; count += 1) {
    const question = randomQuestion(random, configuration);
    const expected = expectedAnswer(configuration, question);
    const fallback = random.chance(0.5);
    const got = answers.isOn(question.key, question.context, fallback);
    const explained = answers.explain(question.key, question.context, fallback, 'h.1');
    const [last] = explained.steps.filter(({ outcome }) => outcome === 'decides');
    const isExplained = expected === null ? explained.rule === null : last?.rule === explained.rule;
    if (got !== (expected ?? fallback) || explained.value !== got || !isExplained) {
      wrong.push({ question, expected, got, explained });
    }
  }
  t.same(wrong.slice(0, 3), []);
});

t.test('after any changes the answers are those of the whole configuration', async (t) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = createRandom(seed);
    const configuration = randomConfiguration(random, 40);
    const flags = new FlagSet();
    flags.replace(contentOf(configuration));
    for (let step = 0; step < 30; step += 1) {
      const change = changeAtRandom(random, configuration);
      if (random.chance(0.2)) flags.replace(contentOf(configuration));
      else flags.change(change);
      // Twice does the same.
      if (random.chance(0.2)) flags.change(change);
    }
    const answers = new FlagAnswers(flags);
    for (let count = 0; count < 300; count += 1) {
      const question = randomQuestion(random, configuration);
      const expected = expectedAnswer(configuration, question);
      for (const fallback of [true, false]) {
        if (answers.isOn(question.key, question.context, fallback) === (expected ?? fallback)) continue;
        t.fail(`seed ${seed}: ${JSON.stringify(question)} is not ${expected}`);
      }
    }
    const sorted = (list: readonly { readonly id: string }[]) =>
      [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
    t.same(sorted(flags.content.flags), sorted(contentOf(configuration).flags), `seed ${seed}`);
  }
});

t.test('a change of one flag compiles one flag of ten thousand', async (t) => {
  const random = createRandom(3);
  const configuration = randomConfiguration(random, 10_000);
  const flags = new FlagSet();
  flags.replace(contentOf(configuration));
  const before = new Set(flags.flags);
  const [one] = configuration.flags.values();
  if (one === undefined) throw new Error('there are flags');
  const names = flags.change({
    flags: [{ ...one, revision: 2, enabled: !one.enabled }],
    removed: [],
    audiences: [],
    removedAudiences: [],
  });
  t.same(names, [one.name]);
  t.equal([...flags.flags].filter((flag) => !before.has(flag)).length, 1);
  // The same again as a whole is no change.
  t.same(flags.replace(flags.content), []);
});

t.test('what cannot be applied changes nothing', async (t) => {
  const random = createRandom(4);
  const configuration = randomConfiguration(random, 20);
  const told: (readonly string[])[] = [];
  const held = new HeldConfiguration('p', 'e', (names) => told.push(names));
  const snapshot = { version: 'h.5', projectId: 'p', environment: 'e', ...contentOf(configuration) };
  held.replace(snapshot);
  told.length = 0;
  const before = held.snapshot;
  const flag = randomFlag(random, idFrom(random), 'new', []);
  const used = [...configuration.flags.values()].find(({ audienceId }) => audienceId !== null);
  const none = { flags: [], removed: [], audiences: [], removedAudiences: [] };
  const refused: readonly [string, () => void][] = [
    [
      'a missing audience',
      () => held.change({ ...none, version: 'h.6', flags: [flag, { ...flag, audienceId: 'no' }] }, true),
    ],
    [
      'an audience in use is removed',
      () =>
        held.change(
          { ...none, version: 'h.6', flags: [flag], removedAudiences: [used?.audienceId ?? ''] },
          true,
        ),
    ],
    [
      'another form of id',
      () => held.change({ ...none, version: 'h.6', flags: [flag, { ...flag, id: 'xyz' }] }, true),
    ],
    ['no base', () => held.change({ ...none, version: 'h.6', flags: [flag] }, false)],
    ['another history', () => held.change({ ...none, version: 'g.6', flags: [flag] }, true)],
    ['an older one', () => held.change({ ...none, version: 'h.4', flags: [flag] }, true)],
    ['a beat of another history', () => held.noteBeat({ version: 'g.6' }, true)],
    ['another project', () => held.replace({ ...snapshot, projectId: 'q' })],
    ['another environment', () => held.replace({ ...snapshot, environment: null })],
  ];
  for (const [what, attempt] of refused) {
    t.throws(attempt, UnusableConfiguration, what);
    t.same(held.snapshot, before, `${what}: nothing has changed`);
  }
  t.same(told, []);
  held.noteBeat({ version: 'h.9' }, true);
  t.equal(held.version, 'h.5', 'a beat is no change');
  t.equal(held.position, 'h.9', 'the stream goes on behind it');
});

t.test('a name that two flags have answers by neither, until one of them is gone', async (t) => {
  const random = createRandom(5);
  const on = { enabled: true, trafficPercentage: 100, cohorts: [], audienceId: null };
  const [first, second] = [idFrom(random), idFrom(random)];
  const flags = new FlagSet();
  flags.replace({
    flags: [
      { ...on, id: first, name: 'same', revision: 1 },
      { ...on, id: second, name: 'same', revision: 1, enabled: false },
    ],
    audiences: [],
  });
  const answers = new FlagAnswers(flags);
  t.equal(answers.isOn('same', {}, true), true);
  t.equal(answers.isOn('same', {}, false), false);
  const { reason, explanation } = answers.explain('same', {}, false, 'h.1');
  t.equal(reason, 'ambiguous-name');
  t.ok(explanation.includes(first) && explanation.includes(second), explanation);
  t.equal(answers.isOn(first, {}, false), true, 'by its id');
  flags.change({ flags: [], removed: [second], audiences: [], removedAudiences: [] });
  t.equal(answers.isOn('same', {}, false), true);
  const found = flags.find('same');
  t.equal(found?.isAmbiguous, false);
});

t.test('a context with getters never throws, and may ask again', async (t) => {
  const random = createRandom(6);
  const [id, other] = [idFrom(random), idFrom(random)];
  const flags = new FlagSet();
  const rules = [{ attribute: 'plan', values: ['pro'] }];
  flags.replace({
    flags: [
      { id, name: 'a', revision: 1, enabled: true, trafficPercentage: 100, cohorts: [], audienceId: 'u' },
      {
        id: other,
        name: 'b',
        revision: 1,
        enabled: true,
        trafficPercentage: 100,
        cohorts: ['c'],
        audienceId: 'u',
      },
    ],
    audiences: [{ id: 'u', rules }],
  });
  const answers = new FlagAnswers(flags);
  const asking = {
    get plan() {
      return answers.isOn('b', { cohort: 'c', plan: 'free' }, false) ? 'pro' : 'free';
    },
  };
  t.equal(answers.isOn('a', asking, false), true);
  const throwing = {
    get plan(): string {
      throw new Error('a getter');
    },
  };
  t.equal(answers.isOn('a', throwing, true), true);
  t.equal(answers.isOn('a', throwing, false), false);
  t.equal(answers.isOn('a', { plan: 'pro' }, false), true, 'and goes on');
  t.equal(answers.isOn('a', undefined as never, true), false, 'no context is an empty one');
  t.equal(answers.isOn('a', { plan: 'x'.repeat(1_000_000) }, true), false, 'a giant one');
});
