import { FlagdCore } from '@openfeature/flagd-core';
import { attributesOf, countries, plans } from './question.mjs';

const share = {
  fractional: [{ cat: [{ var: '$flagd.flagKey' }, { var: 'targetingKey' }] }, ['on', 50], ['off', 50]],
};
const rule = { and: [{ in: [{ var: 'plan' }, plans] }, { in: [{ var: 'country' }, countries] }] };
const half = {
  state: 'ENABLED',
  variants: { on: true, off: false },
  defaultVariant: 'off',
  targeting: { if: [rule, share, 'off'] },
};

/**
 * @param {readonly string[]} userIds
 * @returns {(index: number) => boolean} evaluates the flag `half` for one of them
 */
export function prepare(userIds) {
  const core = new FlagdCore();
  core.setConfigurations(JSON.stringify({ flags: { half } }));
  const contexts = userIds.map((targetingKey) => ({ targetingKey, ...attributesOf(targetingKey) }));
  return (index) => core.resolveBooleanEvaluation('half', false, contexts[index]).value;
}
