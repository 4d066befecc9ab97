import t from 'tap';
import { EvaluationContext } from '../../../src/domain/evaluation/evaluation-context.ts';
import {
  assignOpenFeatureContext,
  type OpenFeatureContext,
} from '../../../src/domain/evaluation/open-feature-context.ts';
import fc from '../../support/fast-check.ts';

const context = new EvaluationContext();

function text(start: number, end: number): string {
  return Buffer.from(context.bytes.subarray(start, end)).toString('utf8');
}

/** Everything that evaluation reads of a context. */
function assigned(given: OpenFeatureContext, environment: string | null = null) {
  assignOpenFeatureContext(context, given, environment);
  const cohorts = context.hasCohort ? [text(context.cohortStart, context.cohortEnd)] : [];
  for (let index = 0; index < context.furtherCohortCount; index += 1) {
    cohorts.push(text(context.furtherCohortStart(index), context.furtherCohortEnd(index)));
  }
  const attributes = Array.from({ length: context.attributeCount }, (_unused, index) => {
    const nameEnd = context.attributeNameEnd(index);
    return [
      text(context.attributeNameStart(index), nameEnd),
      text(context.attributeValueStart(index), context.attributeValueEnd(index)),
    ];
  });
  return {
    targetingKey: context.hasTargetingKey ? text(context.targetingKeyStart, context.targetingKeyEnd) : null,
    env: context.envStart < 0 ? null : text(context.envStart, context.envEnd),
    cohorts,
    attributes,
  };
}

const nothing = { targetingKey: null, env: null, cohorts: [], attributes: [] };

t.test('an empty context has nothing, also after a full one', async (t) => {
  assigned({ targetingKey: 'u1', cohort: ['a', 'b'], env: 'production', plan: 'pro' });
  t.same(assigned({}), nothing);
});

t.test('booleans, numbers, texts and dates become text', async (t) => {
  const { attributes } = assigned({
    text: 'pro ü €',
    empty: '',
    yes: true,
    no: false,
    whole: 42.0,
    part: 0.1,
    negative: -0,
    large: 1e21,
    date: new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)),
  });
  t.same(attributes, [
    ['text', 'pro ü €'],
    ['empty', ''],
    ['yes', 'true'],
    ['no', 'false'],
    ['whole', '42'],
    ['part', '0.1'],
    ['negative', '0'],
    ['large', '1e+21'],
    ['date', '2026-01-02T03:04:05.006Z'],
  ]);
});

t.test('a list gives several values; objects, lists in lists and null are dropped', async (t) => {
  const dropped = {
    object: { a: 1 },
    nothing: null,
    absent: undefined,
    none: [],
    date: new Date(Number.NaN),
  };
  const { attributes } = assigned({ plan: ['pro', null, 7, { a: 1 }, ['x'], 'team'], ...dropped });
  t.same(attributes, [
    ['plan', 'pro'],
    ['plan', '7'],
    ['plan', 'team'],
  ]);
});

t.test('targetingKey, cohort and env are parameters, and never attributes', async (t) => {
  const given = { env: 'staging', cohort: 7, targetingKey: 5 };
  t.same(assigned(given), { targetingKey: '5', env: 'staging', cohorts: ['7'], attributes: [] });
  t.same(assigned({ env: ['staging'], cohort: { a: 1 }, targetingKey: ['u1'] }), nothing);
  t.same(assigned({ cohort: '', targetingKey: '' }), nothing, 'empty ones are absent');
  t.same(assigned({ cohort: ['', 'a', null, 'b', 'b'] }).cohorts, ['a', 'b', 'b']);
});

t.test('the environment of the request beats that of the context', async (t) => {
  t.equal(assigned({ env: 'staging' }, 'production').env, 'production');
  t.equal(assigned({}, '').env, '', 'an empty name is present: it is the name of no environment');
});

t.test('what a context inherits is not part of it', async (t) => {
  t.same(assigned(Object.create({ plan: 'pro' }) as OpenFeatureContext), nothing);
  t.same(assigned(JSON.parse('{"__proto__":"x"}')).attributes, [['__proto__', 'x']]);
});

t.test('names, values and cohorts of any length and number arrive unchanged', async (t) => {
  const texts = fc.string({ unit: 'grapheme' });
  const name = texts.filter((each) => !['targetingKey', 'cohort', 'env', '__proto__'].includes(each));
  const attributes = fc.dictionary(name, fc.oneof(texts, fc.array(texts)), { maxKeys: 90 });
  const cohorts = fc.array(texts, { maxLength: 40 });
  const large = fc.string({ minLength: 0, maxLength: 40_000 });
  fc.assert(
    fc.property(attributes, cohorts, large, (given, cohort, targetingKey) => {
      const found = assigned({ ...given, cohort, targetingKey });
      const expected = Object.entries(given).flatMap(([key, value]) =>
        (Array.isArray(value) ? value : [value]).map((each) => [key, each]),
      );
      t.same(found.attributes, expected);
      t.same(
        found.cohorts,
        cohort.filter((each) => each !== ''),
      );
      t.equal(found.targetingKey, targetingKey === '' ? null : targetingKey);
    }),
    { numRuns: 200 },
  );
});

t.test('a long list keeps its name once, and a large context gives its memory back', async (t) => {
  const name = 'n'.repeat(32_000);
  const { attributes } = assigned({ [name]: Array.from({ length: 4096 }, (_unused, index) => index) });
  t.equal(attributes.length, 4096);
  t.same(attributes[4095], [name, '4095']);
  t.ok(context.bytes.length < 512 * 1024, `${context.bytes.length} bytes`);
  context.trim();
  t.ok(context.bytes.length <= 64 * 1024, `${context.bytes.length} bytes`);
  t.same(assigned({ plan: ['pro', 'team'] }).attributes, [
    ['plan', 'pro'],
    ['plan', 'team'],
  ]);
});
