import t from 'tap';
import { effectOf, type SwitchedState, switchedWords } from '../../src/console/switching/effect-words.ts';

const everyone: SwitchedState = {
  enabled: true,
  trafficPercentage: 100,
  cohortOverrideCount: null,
  audienceId: null,
};

const cases: readonly [change: Partial<SwitchedState>, cohortCount: number, words: string][] = [
  [{}, 0, 'every caller gets “on”.'],
  // Nobody is left for the cohorts to add.
  [{}, 3, 'every caller gets “on”.'],
  [{ enabled: false }, 3, 'every caller gets “off”.'],
  [{ trafficPercentage: 0 }, 0, 'nobody gets “on”: the rollout is at 0% and no cohorts are listed.'],
  [
    { trafficPercentage: 0, audienceId: 'a' },
    0,
    'nobody gets “on”: the rollout is at 0% and no cohorts are listed.',
  ],
  [{ trafficPercentage: 0 }, 1, 'only the listed cohort gets “on”: the rollout is at 0%.'],
  [
    { trafficPercentage: 0, cohortOverrideCount: 1200 },
    1,
    'only the 1,200 listed cohorts get “on”: the rollout is at 0%.',
  ],
  [{ trafficPercentage: 10 }, 0, '10% of callers get “on”.'],
  [{ trafficPercentage: 10 }, 2, 'the 2 listed cohorts and 10% of callers get “on”.'],
  // An environment's own list replaces the flag-wide one.
  [{ trafficPercentage: 10, cohortOverrideCount: 1 }, 2, 'the listed cohort and 10% of callers get “on”.'],
  [{ audienceId: 'a' }, 0, 'callers in the audience Pro get “on”; all others get “off”.'],
  [
    { audienceId: 'a', trafficPercentage: 10 },
    0,
    '10% of callers in the audience Pro get “on”; all others get “off”.',
  ],
  [
    { audienceId: 'a', trafficPercentage: 10 },
    1,
    'the listed cohort and 10% of callers in the audience Pro get “on”; all others get “off”.',
  ],
];

t.test('the effect names exactly who gets “on”', async (t) => {
  for (const [change, cohortCount, words] of cases) {
    const scene = { cohortCount, environmentName: 'production', audienceName: 'Pro' };
    t.equal(effectOf({ ...everyone, ...change }, scene), `In production, ${words}`);
  }
});

t.test('without environments no place is named, and an unknown audience is «its audience»', async (t) => {
  const scene = { cohortCount: 0, environmentName: null, audienceName: null };
  t.equal(effectOf(everyone, scene), 'Every caller gets “on”.');
  t.equal(
    effectOf({ ...everyone, audienceId: 'a' }, scene),
    'Callers in its audience get “on”; all others get “off”.',
  );
});

t.test('a notice says whom a switched flag reaches', async (t) => {
  const words = (change: Partial<SwitchedState>, { wasSo = false, name = 'gift-cards' } = {}) => {
    const scene = { cohortCount: 0, environmentName: 'production', audienceName: null };
    return switchedWords(name, { ...everyone, ...change }, { ...scene, wasSo });
  };
  t.equal(words({}), 'gift-cards is on in production. Every caller gets “on”.');
  t.equal(words({ trafficPercentage: 10 }), 'gift-cards is on in production. 10% of callers get “on”.');
  t.equal(words({ trafficPercentage: 0 }), 'gift-cards is on in production, but reaches nobody.');
  t.equal(words({ enabled: false }), 'gift-cards is off in production.');
  t.equal(words({ enabled: false }, { wasSo: true }), 'gift-cards was already off in production.');
  t.equal(words({ enabled: false }, { name: '\u202Egift' }), '⟨U+202E⟩gift is off in production.');
});
