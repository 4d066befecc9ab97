import { GrowthBookClient } from '@growthbook/growthbook';
import { attributesOf, countries, plans } from './question.mjs';

const condition = { plan: { $in: plans }, country: { $in: countries } };
const features = {
  half: { defaultValue: false, rules: [{ condition, force: true, coverage: 0.5, hashAttribute: 'id' }] },
};

/**
 * @param {readonly string[]} userIds
 * @returns {(index: number) => boolean} evaluates the flag `half` for one of them
 */
export function prepare(userIds) {
  const client = new GrowthBookClient().initSync({ payload: { features } });
  const contexts = userIds.map((id) => ({ attributes: { id, ...attributesOf(id) } }));
  return (index) => client.isOn('half', contexts[index]);
}
