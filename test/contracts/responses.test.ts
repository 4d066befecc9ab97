import t from 'tap';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { errorEnvelopeSchema } from '../../src/contracts/error-envelope-schema.ts';
import { problemTable } from '../../src/contracts/problem-table.ts';
import { operations } from '../../src/operations/openapi.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { bearer, type ClientRequest, createHttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const document = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      projects: [
        {
          name: 'shop',
          environments: ['production', 'staging'],
          flags: [{ name: 'checkout', cohorts: ['ada'], environments: { staging: { enabled: true } } }],
          tokens: [
            { name: 'write', permission: 'write' },
            { name: 'limited', permission: 'write', environments: ['staging'] },
            { name: 'read', permission: 'read' },
          ],
        },
        {
          name: 'site',
          flags: [{ name: 'banner', enabled: true, trafficPercentage: 50 }],
          tokens: [{ name: 'write', permission: 'write' }],
        },
        { name: 'closed', evaluationAccess: false, flags: [{ name: 'hidden' }] },
      ],
    },
  ],
};

const dataDir = temporaryDirectory(t);
const provisioned = await provision(dataDir, temporaryDirectory(t), document);
const server = await bootServer(t, { dataDir, settings: unlimited });
const client = createHttpClient(t, { port: server.port });

const shop = projectOf(provisioned, 'shop');
const site = projectOf(provisioned, 'site');
const closed = projectOf(provisioned, 'closed');
const checkout = idOf(shop.flags, 'checkout');
const banner = idOf(site.flags, 'banner');
const write = bearer(tokenOf(shop, 'write').secret);
const limited = bearer(tokenOf(shop, 'limited').secret);
const read = bearer(tokenOf(shop, 'read').secret);
const siteWrite = bearer(tokenOf(site, 'write').secret);

function operationOf(id: string) {
  const operation = operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  return operation;
}

/** @returns the schema of this answer, and for a problem its possible titles */
function declared(id: string, status: number): { schema: TSchema; titles: readonly string[] } {
  const { answers, problems } = operationOf(id);
  const answer = answers.find((each) => each.status === status);
  if (answer?.schema) return { schema: answer.schema, titles: [] };
  const rows = problems.map((code) => problemTable[code]).filter((row) => row.status === status);
  if (rows.length === 0) throw new Error(`${id} does not declare ${status}`);
  return { schema: errorEnvelopeSchema, titles: rows.map(({ title }) => title) };
}

function ask(path: string, body = '{"context":{"targetingKey":"user-42"}}'): ClientRequest {
  return { method: 'POST', path, body, headers: { Origin: 'http://localhost' } };
}

function report(path: string, headers: Record<string, string>, body?: string): ClientRequest {
  const usage = { reportId: `report-${path.length}`, flags: [{ id: checkout, on: 1, off: 2 }] };
  return { method: 'POST', path, headers, body: body ?? JSON.stringify(usage) };
}

const exchanges: readonly (readonly [id: string, status: number, request: ClientRequest])[] = [
  ['read-health', 200, { path: '/health' }],
  ['evaluate-flag', 200, { path: `/v1/flags/${checkout}?env=staging&cohort=ada` }],
  ['evaluate-flag', 200, { path: `/v1/flags/${banner}?targetingKey=user-42` }],
  ['evaluate-flag', 400, { path: `/v1/flags/${checkout}?cohort=%zz` }],
  ['evaluate-flag', 403, { path: `/v1/flags/${idOf(closed.flags, 'hidden')}` }],
  ['evaluate-flag', 404, { path: `/v1/flags/${checkout}` }],
  ['evaluate-project', 200, { path: `/v1/flags/project/${shop.id}?env=staging` }],
  ['evaluate-project', 404, { path: '/v1/flags/project/none' }],
  ['read-token', 200, { path: '/api/v1/token', headers: write }],
  ['read-token', 200, { path: '/api/v1/token', headers: limited }],
  ['read-token', 401, { path: '/api/v1/token' }],
  ['list-flags', 200, { path: '/api/v1/flags', headers: read }],
  ['list-flags', 200, { path: '/api/v1/flags?env=staging', headers: read }],
  ['list-flags', 200, { path: '/api/v1/flags', headers: siteWrite }],
  ['list-flags', 400, { path: '/api/v1/flags?env=moon', headers: read }],
  ['list-flags', 403, { path: '/api/v1/flags?env=production', headers: limited }],
  ['read-flag', 200, { path: `/api/v1/flags/${checkout}`, headers: read }],
  ['read-flag', 200, { path: `/api/v1/flags/${checkout}?env=production`, headers: read }],
  ['read-flag', 404, { path: `/api/v1/flags/${banner}`, headers: read }],
  ['create-flag', 201, { method: 'POST', path: '/api/v1/flags', headers: write, body: '{"name":"new"}' }],
  ['create-flag', 201, { method: 'POST', path: '/api/v1/flags', headers: siteWrite, body: '{"name":"new"}' }],
  ['create-flag', 400, { method: 'POST', path: '/api/v1/flags', headers: write, body: '' }],
  ['create-flag', 403, { method: 'POST', path: '/api/v1/flags', headers: read, body: '{"name":"new"}' }],
  [
    'create-flag',
    403,
    {
      method: 'POST',
      path: '/api/v1/flags',
      headers: limited,
      body: '{"name":"new","environments":{"production":{}}}',
    },
  ],
  [
    'patch-flag',
    200,
    {
      method: 'PATCH',
      path: `/api/v1/flags/${checkout}?env=staging`,
      headers: limited,
      body: '{"enabled":false}',
    },
  ],
  [
    'patch-flag',
    200,
    { method: 'PATCH', path: `/api/v1/flags/${banner}`, headers: siteWrite, body: '{"cohorts":["ada"]}' },
  ],
  ['patch-flag', 400, { method: 'PATCH', path: `/api/v1/flags/${checkout}`, headers: write, body: '{}' }],
  ['patch-flag', 404, { method: 'PATCH', path: '/api/v1/flags/none', headers: write, body: '{}' }],
  [
    'patch-flag',
    413,
    { method: 'PATCH', path: `/api/v1/flags/${checkout}`, headers: write, body: ' '.repeat(1024 * 1024 + 1) },
  ],
  ['ofrep-flag', 200, ask(`/projects/${shop.id}/staging/ofrep/v1/evaluate/flags/checkout`)],
  ['ofrep-flag', 400, ask(`/projects/${shop.id}/staging/ofrep/v1/evaluate/flags/checkout`, '{')],
  ['ofrep-flag', 404, ask(`/projects/${shop.id}/staging/ofrep/v1/evaluate/flags/none`)],
  ['ofrep-flag', 413, ask(`/projects/${shop.id}/staging/ofrep/v1/evaluate/flags/none`, ' '.repeat(65_537))],
  ['ofrep-flag-single', 200, ask(`/projects/${site.id}/ofrep/v1/evaluate/flags/${banner}`)],
  ['ofrep-flags', 200, ask(`/projects/${shop.id}/staging/ofrep/v1/evaluate/flags`)],
  ['ofrep-flags', 404, ask(`/projects/${shop.id}/moon/ofrep/v1/evaluate/flags`)],
  ['ofrep-flags-single', 200, ask(`/projects/${site.id}/ofrep/v1/evaluate/flags`)],
  ['ofrep-flags-single', 403, ask(`/projects/${closed.id}/ofrep/v1/evaluate/flags`)],
  ['ofrep-events', 404, { path: `/projects/${shop.id}/moon/ofrep/v1/events` }],
  ['sync', 200, { path: `/sync/v1/${shop.id}/staging`, headers: limited }],
  ['sync', 401, { path: `/sync/v1/${shop.id}/staging` }],
  ['sync', 403, { path: `/sync/v1/${shop.id}/production`, headers: limited }],
  ['sync', 404, { path: `/sync/v1/${shop.id}/moon`, headers: read }],
  ['sync-single', 200, { path: `/sync/v1/${site.id}`, headers: siteWrite }],
  ['sync-usage', 200, report(`/sync/v1/usage/${shop.id}/staging`, read)],
  ['sync-usage', 400, report(`/sync/v1/usage/${shop.id}/staging`, read, '{}')],
  ['sync-usage', 413, report(`/sync/v1/usage/${shop.id}/staging`, read, ' '.repeat(131_073))],
  ['sync-usage-single', 200, report(`/sync/v1/usage/${site.id}`, siteWrite)],
];

for (const [id, status, request] of exchanges) {
  t.test(
    `${id}: ${request.method ?? 'GET'} ${request.path.slice(0, 60)} is a ${status} as declared`,
    async (t) => {
      const response = await client.send(request);
      t.equal(response.status, status, response.text.slice(0, 500));
      const { schema, titles } = declared(id, response.status);
      const body: unknown = JSON.parse(response.text);
      t.same([...Value.Errors(schema, body)], []);
      if (titles.length > 0) t.ok(titles.includes((body as { error: string }).error), response.text);
    },
  );
}

t.test("an error's link leads to a served page", async (t) => {
  const { docs } = JSON.parse((await client.send({ path: '/api/v1/token' })).text) as { docs: string };
  const link = new URL(docs);
  t.equal(link.port, String(server.port));
  const page = await client.send({ path: link.pathname });
  t.equal(page.status, 200);
  t.match(page.text, ` id="${link.hash.slice(1)}"`);
});
