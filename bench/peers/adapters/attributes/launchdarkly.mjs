import { init } from '@launchdarkly/node-server-sdk';
import { TestData } from '@launchdarkly/node-server-sdk/integrations';
import { attributesOf, countries, plans } from './question.mjs';

const clause = (attribute, values) => ({ contextKind: 'user', attribute, op: 'in', values, negate: false });
const half = {
  key: 'half',
  on: true,
  version: 1,
  salt: 'half',
  variations: [true, false],
  offVariation: 1,
  fallthrough: { variation: 1 },
  targets: [],
  prerequisites: [],
  rules: [
    {
      id: 'paying',
      clauses: [clause('plan', plans), clause('country', countries)],
      rollout: { variations: [0, 1].map((variation) => ({ variation, weight: 50_000 })) },
    },
  ],
};

/** Its variations are promises: the caller waits for each. */
export const isAsync = true;

/**
 * Takes its flag from memory and sends no events, so that it needs no server.
 *
 * @param {readonly string[]} userIds
 * @returns {Promise<(index: number) => Promise<boolean>>} evaluates the flag `half` for one of them
 */
export async function prepare(userIds) {
  const data = new TestData();
  await data.usePreconfiguredFlag(half);
  const quiet = { error() {}, warn() {}, info() {}, debug() {} };
  const client = init('sdk-key', {
    updateProcessor: data.getFactory(),
    sendEvents: false,
    diagnosticOptOut: true,
    logger: quiet,
  });
  await client.waitForInitialization({ timeout: 10 });
  const contexts = userIds.map((key) => ({ kind: 'user', key, ...attributesOf(key) }));
  return (index) => client.boolVariation('half', contexts[index], false);
}
