import t from 'tap';
import { murmur3, rolloutThreshold } from '../../src/domain/evaluation/bucketing.ts';
import { isInRolloutReference, murmur3Reference } from '../support/murmur3-reference.ts';
import { cases } from './cases.ts';
import { evaluateInDomain } from './domain-adapter.ts';
import { readVectors } from './fixture.ts';

/* The cases about evaluation, run with the pure domain, without server and store. */
for (const { id, sentence, domain } of cases) {
  if (domain === undefined) continue;
  t.test(`${id}: ${sentence}`, async (t) => {
    const { enabled, reason } = domain;
    const rolls = [0, 2 ** 32 - 1].map((roll) => evaluateInDomain(domain, roll));
    t.same(rolls, [
      { enabled: enabled ?? true, reason },
      { enabled: enabled ?? false, reason },
    ]);
  });
}

t.test('reference and domain compute the published buckets', async (t) => {
  for (const { flagId, key, murmur3: expected, onAt } of readVectors()) {
    const bytes = Buffer.from(flagId + key);
    t.equal(murmur3Reference(bytes), expected, `reference of ${flagId} ${key}`);
    t.equal(murmur3(bytes), expected, `domain's of ${flagId} ${key}`);
    for (const [percentage, isOn] of onAt) {
      t.equal(expected < rolloutThreshold(percentage), isOn, `${flagId} ${key} at ${percentage}`);
      t.equal(isInRolloutReference(flagId, key, percentage), isOn);
    }
  }
});

t.comment(`${cases.filter(({ domain }) => domain !== undefined).length} cases on the pure domain`);
