import t from 'tap';
import type { Audience } from '../../../src/domain/evaluation/audience.ts';
import { compileFlag } from '../../../src/domain/evaluation/compiled-flag.ts';
import { evaluableOf } from '../../../src/domain/evaluation/evaluable-flag.ts';
import { evaluateFlag, selectState } from '../../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../../src/domain/evaluation/evaluation-context.ts';
import { isOn, reasonName } from '../../../src/domain/evaluation/evaluation-reason.ts';
import { trialOf } from '../../../src/domain/evaluation/flag-trial.ts';
import fc from '../../support/fast-check.ts';
import { anyState, audienceId, flagWith, projectWith } from '../management/domain-fixture.ts';

const project = projectWith(['production']);
const audience: Audience = {
  ...{ id: audienceId, projectId: project.id, name: 'Pro', createdAt: 1, updatedAt: 1, revision: 1 },
  rules: [
    { attribute: 'plan', values: ['pro', 'é'] },
    { attribute: 'x', values: ['', '1'] },
  ],
};
const place = { project, environmentNumber: 1 };

const anyContext = fc.record(
  {
    targetingKey: fc.constantFrom('', 'u', 'user-2', 'é'),
    cohort: fc.constantFrom('', 'a', 'd'),
    attributes: fc.array(
      fc.tuple(fc.constantFrom('plan', 'x', 'other'), fc.constantFrom('pro', 'é', '', '1', 'no')),
      { maxLength: 4 },
    ),
  },
  { requiredKeys: [] },
);

/** The query of a client. */
function queryOf({
  attributes = [],
  ...keys
}: {
  readonly attributes?: readonly (readonly [string, string])[];
}) {
  const pairs = [...Object.entries(keys), ...attributes] as [string, string][];
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

t.test('a trial answers as the Evaluation API does, and its steps agree', async (t) => {
  const property = fc.property(anyState, anyContext, fc.nat({ max: 2 ** 32 - 1 }), (state, context, roll) => {
    const flag = flagWith({ 1: state }, ['a']);
    const applied = state.audienceId === null ? null : audience;
    const compiled = compileFlag(flag, project, () => audience);
    const decoded = new EvaluationContext();
    const query = `env=production&${queryOf(context)}`;
    decoded.decode(query);
    const chosen = selectState(compiled, decoded);
    if (chosen === null) return false;
    const reason = evaluateFlag(compiled, chosen, decoded, () => roll);
    const trial = trialOf({ flag: evaluableOf(flag), audience: applied, ...place }, context, () => roll);
    const decides = trial.steps.filter(({ outcome }) => outcome === 'decides');
    const [step] = decides;
    const saidOn = step?.explanation.includes('answer is on');
    return (
      trial.reason === reasonName(reason) &&
      trial.enabled === isOn(reason) &&
      decides.length === 1 &&
      saidOn === trial.enabled &&
      step?.explanation.includes('answer is off') === !trial.enabled &&
      trial.steps.every(
        ({ outcome, explanation }) => outcome === 'decides' || !explanation.includes('answer is'),
      )
    );
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }));
});

t.test(
  'a key is in the rollout when its bucket is below the percentage, and never rounded up to it',
  async (t) => {
    const state = { enabled: true, trafficPercentage: 37 };
    const property = fc.property(fc.string({ minLength: 1 }), (targetingKey) => {
      const flag = flagWith({ 1: state });
      const trial = trialOf({ flag: evaluableOf(flag), audience: null, ...place }, { targetingKey }, () => 0);
      const percent = trial.bucketPercent ?? -1;
      return percent >= 0 && percent < 100 && trial.enabled === percent < 37;
    });
    t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }));
    const flag = flagWith({ 1: state });
    const roll = (value: number) =>
      trialOf({ flag: evaluableOf(flag), audience: null, ...place }, {}, () => value);
    const threshold = Math.ceil((37 * 2 ** 32) / 100);
    t.match(roll(threshold - 1), { enabled: true, bucketPercent: null });
    t.match(roll(threshold - 1).steps[3]?.explanation, /fell at 36\.99%/);
    t.match(roll(threshold), { enabled: false });
    t.match(roll(threshold).steps[3]?.explanation, /fell at 37%\. The rollout is everything below 37%/);
    t.match(roll(2 ** 32 - 1).steps[3]?.explanation, /fell at 99\.99%/);
  },
);

t.test('the bucket is shown for every deciding rule', async (t) => {
  const trial = trialOf(
    { flag: evaluableOf(flagWith({ 1: {} })), audience: null, ...place },
    { targetingKey: 'u' },
    () => 0,
  );
  t.match(trial, { enabled: false, reason: 'flag-off' });
  t.type(trial.bucketPercent, 'number');
});

t.test('long lists and long values are cut in sentences', async (t) => {
  const values = Array.from({ length: 20 }, (_, index) => `value-${index}-${'y'.repeat(100)}`);
  const wide: Audience = { ...audience, rules: [{ attribute: 'plan', values }] };
  const flag = flagWith({ 1: { enabled: true, audienceId } });
  const { steps } = trialOf({ flag: evaluableOf(flag), audience: wide, ...place }, {}, () => 0);
  t.match(steps[2]?.explanation, /and 15 more\.$/);
  t.ok((steps[2]?.explanation.length ?? 0) < 1000);
});
