/** What a script does with `openapi-fetch` and the types that openapi-typescript generates. */
import createClient from 'openapi-fetch';
import type { paths } from './burgee.js';

const { URL: baseUrl = '', TOKEN: token = '', FLAG: flag = '' } = process.env;
const client = createClient<paths>({
  baseUrl,
  headers: { Authorization: `Bearer ${token}` },
  querySerializer: { object: { style: 'form', explode: true } },
});

const { data: decision } = await client.GET('/v1/flags/{flag_id}', {
  params: {
    path: { flag_id: flag },
    query: { env: 'production', targetingKey: 'user-42', attributes: { plan: 'pro' } },
  },
});
const { data: list } = await client.GET('/api/v1/flags');
const { data: changed } = await client.PATCH('/api/v1/flags/{id}', {
  params: { path: { id: flag }, query: { env: 'production' } },
  body: { trafficPercentage: 7 },
});
const seen = {
  attribute: decision?.enabled,
  flags: list?.flags.length,
  updatedAt: list?.flags[0]?.updatedAt,
  trafficPercentage: changed?.flag.trafficPercentage,
};
console.log(JSON.stringify(seen));
