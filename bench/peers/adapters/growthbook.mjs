import { GrowthBookClient } from '@growthbook/growthbook';

const features = {
  half: { defaultValue: false, rules: [{ force: true, coverage: 0.5, hashAttribute: 'id' }] },
};

/**
 * @param {readonly string[]} userIds
 * @returns {(index: number) => boolean} evaluates the flag `half` for one of them
 */
export function prepare(userIds) {
  const client = new GrowthBookClient().initSync({ payload: { features } });
  return (index) => client.isOn('half', { attributes: { id: userIds[index] } });
}
