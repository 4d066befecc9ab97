import t from 'tap';
import type { Audience } from '../../../src/domain/evaluation/audience.ts';
import { compileFlag } from '../../../src/domain/evaluation/compiled-flag.ts';
import { evaluateFlag, selectState } from '../../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../../src/domain/evaluation/evaluation-context.ts';
import {
  evaluationReasons,
  isOn,
  openFeatureReason,
} from '../../../src/domain/evaluation/evaluation-reason.ts';
import { assignPlain, type PlainContext } from '../../../src/domain/evaluation/plain-context.ts';
import type { Flag, FlagState } from '../../../src/domain/flag/flag.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import fc from '../../support/fast-check.ts';

const project: Project = {
  id: 'ProjectProjectProjec',
  name: 'shop',
  organisationId: 'OrganisationOrganisa',
  ownerMemberId: null,
  isMultiEnvironment: true,
  environments: [
    { number: 1, name: 'production', isProtected: false },
    { number: 4, name: '__proto__', isProtected: false },
  ],
  nextEnvironmentNumber: 5,
  environmentsRevision: 1,
  evaluationAccess: true,
  createdAt: 1,
  revision: 1,
};
const audience: Audience = {
  id: 'AudienceAudienceAudi',
  projectId: project.id,
  name: 'Pro in Europe',
  rules: [
    { attribute: 'plan', values: ['pro', 'team'] },
    { attribute: 'région', values: ['eu', '€'] },
  ],
  createdAt: 1,
  updatedAt: 1,
  revision: 1,
};
const everywhere: FlagState = {
  enabled: true,
  trafficPercentage: 100,
  cohortOverride: null,
  audienceId: null,
};

function flagWith(states: readonly (readonly [number, FlagState])[], cohorts: readonly string[] = []): Flag {
  return {
    id: 'FlagFlagFlagFlagFlag',
    projectId: project.id,
    name: 'checkout "ü"',
    description: '',
    tags: [],
    cohorts,
    states: new Map(states),
    revision: 1,
    createdAt: 1,
    updatedAt: 1,
  };
}

const context = new EvaluationContext();

/** The reason in production, in words. */
function reasonFor(
  state: Partial<FlagState>,
  given: PlainContext,
  roll = 0,
  flagWide: readonly string[] = [],
) {
  const flag = flagWith([[1, { ...everywhere, ...state }]], flagWide);
  const compiled = compileFlag(flag, project, (id) => (id === audience.id ? audience : undefined));
  assignPlain(context, { env: 'production', ...given });
  const selected = selectState(compiled, context);
  if (selected === null) return 'no-state';
  return evaluationReasons[evaluateFlag(compiled, selected, context, () => roll)]?.name;
}

t.test('the rules apply in the specified order', async (t) => {
  const pro = { audienceId: audience.id };
  const matching: PlainContext = {
    attributes: [
      ['plan', 'pro'],
      ['région', '€'],
    ],
  };
  t.equal(reasonFor({ enabled: false, cohortOverride: ['vip'] }, { cohort: 'vip' }), 'flag-off');
  t.equal(
    reasonFor({ ...pro, trafficPercentage: 0, cohortOverride: ['vip'] }, { cohort: 'vip' }),
    'cohort-match',
  );
  t.equal(reasonFor({ ...pro, cohortOverride: ['vip'] }, { cohort: 'other' }), 'audience-mismatch');
  t.equal(reasonFor(pro, matching), 'full-rollout');
  t.equal(reasonFor({ ...pro, trafficPercentage: 0 }, matching), 'no-rollout');
  t.equal(reasonFor({ trafficPercentage: 50 }, {}, 2 ** 31 - 1), 'roll-in-rollout');
  t.equal(reasonFor({ trafficPercentage: 50 }, {}, 2 ** 31), 'roll-not-in-rollout');
});

t.test('reasons in the words of OpenFeature: a flag that is off is never DISABLED', async (t) => {
  const words = evaluationReasons.map(({ name }, reason) => [name, openFeatureReason(reason)]);
  t.same(Object.fromEntries(words), {
    'flag-off': 'STATIC',
    'cohort-match': 'TARGETING_MATCH',
    'audience-mismatch': 'TARGETING_MATCH',
    'full-rollout': 'STATIC',
    'no-rollout': 'STATIC',
    'bucket-in-rollout': 'SPLIT',
    'bucket-not-in-rollout': 'SPLIT',
    'roll-in-rollout': 'SPLIT',
    'roll-not-in-rollout': 'SPLIT',
  });
});

t.test('an override replaces the flag-wide list', async (t) => {
  const none = { trafficPercentage: 0 };
  t.equal(reasonFor(none, { cohort: 'wide' }, 0, ['wide']), 'cohort-match');
  t.equal(reasonFor({ ...none, cohortOverride: ['own'] }, { cohort: 'wide' }, 0, ['wide']), 'no-rollout');
});

t.test('every rule of an audience must match, by one of the values, exactly', async (t) => {
  const pro = { audienceId: audience.id };
  const given = (...attributes: [string, string][]): PlainContext => ({ attributes });
  t.equal(reasonFor(pro, given(['plan', 'free'], ['plan', 'team'], ['région', 'eu'])), 'full-rollout');
  for (const attributes of [
    [['plan', 'pro']],
    [
      ['plan', 'Pro'],
      ['région', 'eu'],
    ],
    [
      ['plan', 'pro '],
      ['région', 'eu'],
    ],
    [
      ['Plan', 'pro'],
      ['région', 'eu'],
    ],
    [
      ['plan', ''],
      ['région', 'eu'],
    ],
    [],
  ] as [string, string][][]) {
    t.equal(reasonFor(pro, given(...attributes)), 'audience-mismatch', JSON.stringify(attributes));
  }
});

t.test('the targeting key takes precedence over the cohort, and both are sticky', async (t) => {
  const half = { trafficPercentage: 50 };
  const byKey = reasonFor(half, { targetingKey: 'user-1', cohort: 'user-2' });
  t.equal(byKey, reasonFor(half, { targetingKey: 'user-1' }));
  t.equal(reasonFor(half, { cohort: 'user-1' }), byKey, 'the cohort alone is the bucketing key');
});

t.test('any one of several cohorts matches, and the first one is the key', async (t) => {
  const reasonOf = (state: Partial<FlagState>, ...cohorts: string[]) => {
    const compiled = compileFlag(flagWith([[1, { ...everywhere, ...state }]]), project, () => undefined);
    assignPlain(context, { env: 'production' });
    for (const cohort of cohorts) context.addCohort(cohort);
    const selected = selectState(compiled, context);
    if (selected === null) throw new Error('production has a state');
    return evaluationReasons[evaluateFlag(compiled, selected, context, () => 0)]?.name;
  };
  const listed = { cohortOverride: ['vip', 'beta'], trafficPercentage: 0 };
  t.equal(reasonOf(listed, 'a', 'b'), 'no-rollout');
  t.equal(reasonOf(listed, 'vip', 'b'), 'cohort-match');
  t.equal(reasonOf(listed, 'a', 'b', 'beta'), 'cohort-match');
  t.equal(reasonOf({ ...listed, enabled: false }, 'a', 'beta'), 'flag-off');
  const half = { trafficPercentage: 50 };
  for (let user = 0; user < 100; user += 1) {
    t.equal(reasonOf(half, `user-${user}`, 'other'), reasonOf(half, `user-${user}`));
  }
});

t.test('an environment is found by its exact name, for any name', async (t) => {
  const compiled = compileFlag(flagWith([[4, everywhere]]), project, () => undefined);
  for (const [env, found] of [
    ['__proto__', true],
    ['production', true],
    ['Production', false],
    ['', false],
  ] as const) {
    assignPlain(context, { env });
    t.equal(selectState(compiled, context) !== null, found, JSON.stringify(env));
  }
  assignPlain(context, {});
  t.equal(selectState(compiled, context), null, 'env is required');
});

t.test('the bodies are the JSON of the answer', async (t) => {
  const flag = flagWith([]);
  const compiled = compileFlag(flag, project, () => undefined);
  t.same(JSON.parse(compiled.onBody), {
    id: flag.id,
    name: flag.name,
    enabled: true,
  });
  t.same(JSON.parse(compiled.offBody), {
    id: flag.id,
    name: flag.name,
    enabled: false,
  });
});

t.test('a flag with a missing audience cannot be compiled', async (t) => {
  const flag = flagWith([[1, { ...everywhere, audienceId: 'nobody' }]]);
  t.throws(() => compileFlag(flag, project, () => undefined), /does not exist/);
});

t.test('raising a percentage only adds keys', async () => {
  const percentage = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), percentage, percentage, (targetingKey, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const isOnAt = (trafficPercentage: number): boolean => {
        const reason = reasonFor({ trafficPercentage }, { targetingKey });
        return isOn(evaluationReasons.findIndex(({ name }) => name === reason));
      };
      return !isOnAt(low) || isOnAt(high);
    }),
    { numRuns: 5000 },
  );
});
