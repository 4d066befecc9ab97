import t from 'tap';
import { compileFlag } from '../../../src/domain/evaluation/compiled-flag.ts';
import { evaluateFlag, selectState } from '../../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../../src/domain/evaluation/evaluation-context.ts';
import {
  evaluationReasons,
  isOn,
  openFeatureReason,
} from '../../../src/domain/evaluation/evaluation-reason.ts';
import { assignPlain } from '../../../src/domain/evaluation/plain-context.ts';
import type { FlagState } from '../../../src/domain/flag/flag.ts';
import { flagOf, projectOf } from '../../storage/support/records.ts';
import fc from '../../support/fast-check.ts';

/* What the table of rules (conformance/cases/evaluation-rules.ts, evaluation/rules.test.ts) does not reach. */
const environments = ['production', '__proto__'].map((name, index) => ({
  ...{ number: index + 1, name },
  isProtected: false,
}));
const project = projectOf(null, { isMultiEnvironment: true, environments });
const everywhere = { enabled: true, trafficPercentage: 100, cohortOverride: null, audienceId: null };
const context = new EvaluationContext();

function compile(states: readonly (readonly [number, FlagState])[]) {
  const flag = flagOf(project.id, { id: 'FlagFlagFlagFlagFlag', states: new Map(states) });
  return compileFlag(flag, project, () => undefined);
}

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

t.test('the first of several cohorts is the bucketing key', async (t) => {
  const compiled = compile([[1, { ...everywhere, trafficPercentage: 50 }]]);
  const reasonOf = (...cohorts: string[]) => {
    assignPlain(context, { env: 'production' });
    for (const cohort of cohorts) context.addCohort(cohort);
    const state = selectState(compiled, context);
    return state === null ? null : evaluateFlag(compiled, state, context, () => 0);
  };
  const users = Array.from({ length: 100 }, (_unused, index) => `user-${index}`);
  const alone = users.map((user) => reasonOf(user));
  t.same(
    users.map((user) => reasonOf(user, 'other')),
    alone,
  );
  t.equal(new Set(alone).size, 2);
});

t.test('an environment is found by its exact name, for any name', async (t) => {
  const compiled = compile([[2, everywhere]]);
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

t.test('a flag with a missing audience cannot be compiled', async (t) => {
  t.throws(() => compile([[1, { ...everywhere, audienceId: 'none' }]]), /does not exist/);
});

t.test('raising a percentage only adds keys', async () => {
  const percentage = fc.integer({ min: 0, max: 100 });
  const isOnAt = (trafficPercentage: number, targetingKey: string): boolean => {
    const compiled = compile([[1, { ...everywhere, trafficPercentage }]]);
    assignPlain(context, { env: 'production', targetingKey });
    const state = selectState(compiled, context);
    return state !== null && isOn(evaluateFlag(compiled, state, context, () => 0));
  };
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), percentage, percentage, (key, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      return !isOnAt(low, key) || isOnAt(high, key);
    }),
    { numRuns: 5000 },
  );
});
