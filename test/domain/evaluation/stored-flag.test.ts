import t from 'tap';
import type { Audience } from '../../../src/domain/evaluation/audience.ts';
import { compileAudience } from '../../../src/domain/evaluation/compiled-audience.ts';
import { compileEvaluable, compileFlag } from '../../../src/domain/evaluation/compiled-flag.ts';
import { bucketHash, evaluateFlag, selectState } from '../../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../../src/domain/evaluation/evaluation-context.ts';
import { reasonName } from '../../../src/domain/evaluation/evaluation-reason.ts';
import { assignPlain, type PlainContext } from '../../../src/domain/evaluation/plain-context.ts';
import { effectiveCohorts, type Flag, type FlagState, stateIn } from '../../../src/domain/flag/flag.ts';
import { audienceRecord, skimAudience } from '../../../src/storage/tables/audiences.ts';
import { flagRecord, skimFlag } from '../../../src/storage/tables/flags.ts';
import { audienceOf, flagOf, nastyStrings, projectOf } from '../../storage/support/records.ts';
import fc from '../../support/fast-check.ts';

/*
 * A flag that was read for evaluation must answer like one that was decoded completely, and like a plain implementation
 * of the rules: for listed and unlisted cohorts and values, before and after its lists are indexed.
 */

const names = ['production', 'é', '__proto__', 'staging'];
const environments = names.map((name, index) => ({ number: index * 3, name, isProtected: false }));
const grouped = projectOf('o'.repeat(20), { isMultiEnvironment: true, environments });
const single = projectOf('o'.repeat(20));

const words = [...nastyStrings, ...Array.from({ length: 30 }, (_, index) => `customer-${index}`), '漢', 'é1'];
const anyWord = fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme', maxLength: 12 }));
/** Lists with duplicates; some are long enough to get an index. */
const anyWords = fc.oneof(
  fc.array(anyWord, { maxLength: 4 }),
  fc.array(anyWord, { minLength: 9, maxLength: 40, size: 'max' }),
);
const audiences = fc.array(fc.record({ attribute: fc.constantFrom('plan', 'région'), values: anyWords }), {
  minLength: 1,
  maxLength: 3,
});
const anyContext = fc.record(
  {
    targetingKey: anyWord,
    cohort: anyWord,
    env: fc.constantFrom(...names, 'unknown'),
    attributes: fc.array(fc.tuple(fc.constantFrom('plan', 'région', 'other'), anyWord), { maxLength: 5 }),
  },
  { requiredKeys: [] },
);

function anyFlag(audienceId: string): fc.Arbitrary<Flag> {
  const anyState: fc.Arbitrary<FlagState> = fc.record({
    enabled: fc.boolean(),
    trafficPercentage: fc.constantFrom(0, 37, 100),
    cohortOverride: fc.option(anyWords.filter(({ length }) => length > 0)),
    audienceId: fc.option(fc.constant(audienceId)),
  });
  const states = fc.array(fc.tuple(fc.constantFrom(0, 3, 6, 9, 77), anyState), { maxLength: 5 });
  return fc
    .record({ name: anyWord, cohorts: anyWords, states })
    .map(({ states, ...rest }) => flagOf(single.id, { ...rest, states: new Map(states) }));
}

/** A plain implementation of the rules. */
function expectedReason(flag: Flag, state: FlagState, audience: Audience, context: PlainContext): string {
  if (!state.enabled) return 'flag-off';
  const { cohort = '', targetingKey = '', attributes = [] } = context;
  if (cohort !== '' && effectiveCohorts(flag, state).includes(cohort)) return 'cohort-match';
  const sent = [...attributes];
  const isMet = audience.rules.every(({ attribute, values }) =>
    sent.some(([name, value]) => name === attribute && values.includes(value)),
  );
  if (state.audienceId !== null && !isMet) return 'audience-mismatch';
  if (state.trafficPercentage === 100) return 'full-rollout';
  if (state.trafficPercentage === 0) return 'no-rollout';
  return targetingKey === '' && cohort === '' ? 'roll-' : 'bucket-';
}

t.test('a flag answers the same from its record, decoded, and by the plain rules', async (test) => {
  const property = fc.property(
    audiences.chain((rules) => {
      const audience = audienceOf(single.id, { rules });
      return fc.tuple(fc.constant(audience), anyFlag(audience.id));
    }),
    fc.array(anyContext, { minLength: 1, maxLength: 8 }),
    fc.nat({ max: 2 ** 32 - 1 }),
    ([audience, flag], contexts, roll) => {
      const [key, audienceKey] = [Buffer.from(flag.id), Buffer.from(audience.id)];
      const skimmed = skimFlag(key, flagRecord.encode(key, flag));
      const audienceBytes = audienceRecord.encode(audienceKey, audience);
      const compiledAudience = compileAudience(skimAudience(audienceKey, audienceBytes));
      for (const project of [single, grouped]) {
        const decoded = compileFlag(flag, project, () => audience);
        const stored = compileEvaluable(skimmed, project, () => compiledAudience);
        for (const plain of contexts) {
          const context = new EvaluationContext();
          assignPlain(context, plain);
          const [one, other] = [selectState(decoded, context), selectState(stored, context)];
          if (one === null || other === null) {
            if (one !== other || (project === grouped && names.includes(plain.env ?? ''))) return false;
            continue;
          }
          const reason = evaluateFlag(stored, other, context, () => roll);
          if (reason !== evaluateFlag(decoded, one, context, () => roll)) return false;
          if (bucketHash(stored, context) !== bucketHash(decoded, context)) return false;
          const number = other.tally.environmentNumber;
          const expected = expectedReason(flag, stateIn(flag, number), audience, plain);
          if (!reasonName(reason).startsWith(expected)) return false;
        }
      }
      return true;
    },
  );
  test.doesNotThrow(() => fc.assert(property, { numRuns: 400 }));
});

t.test('a flag keeps the bytes of its long lists, and copies of short ones', async (test) => {
  const key = Buffer.from('f'.repeat(20));
  const sizeOf = (cohorts: readonly string[], description: string): number => {
    const flag = flagOf(grouped.id, { cohorts, description });
    const bytes = Buffer.from(new Uint8Array(flagRecord.encode(key, flag)).buffer);
    return compileEvaluable(skimFlag(key, bytes), grouped, () => undefined).sizeBytes;
  };
  const text = 'x'.repeat(2000);
  test.equal(sizeOf(['a'], text), sizeOf(['a'], ''), 'the description is not kept for a short list');
  const long = Array.from({ length: 1000 }, (_, index) => `customer-${index}`);
  test.ok(sizeOf(long, text) - sizeOf(long, '') >= 2000, 'with a long list the whole record is kept');
});
