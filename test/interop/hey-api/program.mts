/** What a script does with the client that `@hey-api/openapi-ts` generates. */
import { client } from './client/client.gen.js';
import { evaluateFlag, listFlags, patchFlag } from './client/sdk.gen.js';

const { URL: baseUrl = '', TOKEN: token = '', FLAG: flag = '' } = process.env;
client.setConfig({ baseUrl, auth: token, throwOnError: true });

const { data: decision } = await evaluateFlag<true>({
  path: { flag_id: flag },
  query: { env: 'production', targetingKey: 'user-42', attributes: { plan: 'pro' } },
});
const { data: list } = await listFlags<true>();
const { data: changed } = await patchFlag<true>({
  path: { id: flag },
  query: { env: 'production' },
  body: { trafficPercentage: 7 },
});
const seen = {
  attribute: decision.enabled,
  flags: list.flags.length,
  updatedAt: list.flags[0]?.updatedAt,
  trafficPercentage: changed.flag.trafficPercentage,
};
console.log(JSON.stringify(seen));
