import t from 'tap';
import type { SyncFlag } from '../../src/domain/sync/configuration.ts';
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
  held.replace(snapshot, true);
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
    ['another project', () => held.replace({ ...snapshot, projectId: 'q' }, true)],
    ['another environment', () => held.replace({ ...snapshot, environment: null }, true)],
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

t.test('a client that knows its project by slug resumes from its own cache file only', (t) => {
  const cases = [
    { from: 'the service', projectId: 'Tz8QwErTy1UiOp2AsDf3', isOfService: true, position: 'h.5' },
    { from: 'its cache file', projectId: 'shop', isOfService: false, position: 'h.5' },
    { from: 'another file', projectId: 'Tz8QwErTy1UiOp2AsDf3', isOfService: false, position: null },
  ];
  for (const { from, projectId, isOfService, position } of cases) {
    const held = new HeldConfiguration('shop', 'e', () => undefined);
    const content = contentOf(randomConfiguration(createRandom(4), 2));
    held.replace({ version: 'h.5', projectId, environment: 'e', ...content }, isOfService);
    t.equal(held.version, 'h.5', from);
    t.equal(held.position, position, from);
    t.equal(held.snapshot?.projectId ?? null, position === null ? null : 'shop', `${from}: to be kept`);
  }
  t.end();
});

t.test('a name moves to the flag that answers to it, whichever of the two changes first', async (t) => {
  const on = { enabled: true, trafficPercentage: 100, cohorts: [], audienceId: null };
  const flagOf = (letter: string): SyncFlag => ({
    ...on,
    id: letter.repeat(20),
    name: 'same',
    names: [],
    revision: 1,
  });
  const [first, second] = [flagOf('a'), flagOf('b')];
  for (const isTakerFirst of [true, false]) {
    const flags = new FlagSet();
    const answers = new FlagAnswers(flags);
    const owner = { ...second, names: ['same', 'old'] };
    const later = { ...first, enabled: false };
    flags.replace({ flags: [later, owner], audiences: [] });
    t.equal(answers.isOn('same', {}, false), true, 'the first one');
    t.equal(answers.isOn('old', {}, false), true, 'by its former name');
    t.equal(answers.isOn(later.id, {}, true), false, 'the later one by its id');
    const changed = [
      { ...later, names: ['same'], revision: 2 },
      { ...owner, name: 'new', names: ['new', 'old'], revision: 2 },
    ];
    if (!isTakerFirst) changed.reverse();
    const names = flags.change({ flags: changed, removed: [], audiences: [], removedAudiences: [] });
    t.same([...names].sort(), ['new', 'old', 'same']);
    t.equal(answers.isOn('same', {}, true), false);
    t.equal(answers.isOn('old', {}, false), true);
    flags.change({ flags: [], removed: [owner.id], audiences: [], removedAudiences: [] });
    t.equal(answers.explain('old', {}, false, 'h.1').reason, 'flag-not-found');
  }
});

t.test('a context with getters never throws, and may ask again', async (t) => {
  const random = createRandom(6);
  const [id, other] = [idFrom(random), idFrom(random)];
  const flags = new FlagSet();
  const rules = [{ attribute: 'plan', values: ['pro'] }];
  flags.replace({
    flags: [
      {
        id,
        name: 'a',
        names: ['a'],
        revision: 1,
        enabled: true,
        trafficPercentage: 100,
        cohorts: [],
        audienceId: 'u',
      },
      {
        id: other,
        name: 'b',
        names: ['b'],
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
