import { once } from 'node:events';
import { InMemStorageProvider, Unleash } from 'unleash-client';
import { unleashFlag } from '../unleash-flag.mjs';
import { attributesOf, countries, plans } from './question.mjs';

const constraints = [
  { contextName: 'plan', operator: 'IN', values: plans },
  { contextName: 'country', operator: 'IN', values: countries },
];
const [strategy] = unleashFlag.strategies;

/**
 * Takes its flag from a bootstrap, so that it needs no server. Its metrics are off.
 *
 * @param {readonly string[]} userIds
 * @returns {Promise<(index: number) => boolean>} evaluates the flag `half` for one of them
 */
export async function prepare(userIds) {
  const unleash = new Unleash({
    appName: 'bench',
    // Never contacted: with a refresh interval of 0 the client fetches nothing.
    url: 'http://127.0.0.1',
    refreshInterval: 0,
    disableMetrics: true,
    storageProvider: new InMemStorageProvider(),
    bootstrap: { data: [{ ...unleashFlag, strategies: [{ ...strategy, constraints }] }] },
  });
  await once(unleash, 'ready', { signal: AbortSignal.timeout(10_000) });
  const contexts = userIds.map((userId) => ({ userId, properties: attributesOf(userId) }));
  return (index) => unleash.isEnabled('half', contexts[index]);
}
