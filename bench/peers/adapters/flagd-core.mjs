import { FlagdCore } from '@openfeature/flagd-core';

const configuration = JSON.stringify({
  flags: {
    half: {
      state: 'ENABLED',
      variants: { on: true, off: false },
      defaultVariant: 'off',
      targeting: {
        fractional: [{ cat: [{ var: '$flagd.flagKey' }, { var: 'targetingKey' }] }, ['on', 50], ['off', 50]],
      },
    },
  },
});

/**
 * @param {readonly string[]} userIds
 * @returns {(index: number) => boolean} evaluates the flag `half` for one of them
 */
export function prepare(userIds) {
  const core = new FlagdCore();
  core.setConfigurations(configuration);
  return (index) => core.resolveBooleanEvaluation('half', false, { targetingKey: userIds[index] }).value;
}
