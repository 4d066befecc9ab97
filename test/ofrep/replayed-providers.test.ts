import t, { type Test } from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { bearer, type ClientResponse, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { idOf, type ProvisionedProject, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/*
 * The requests of two providers that are not installed here, written down from their sources, and their reading of the
 * answers with its strictness:
 *
 *   .NET    OpenFeature.Providers.Ofrep 0.1.5: BaseAddress and an absolute path, so that the path of its base URL is
 *           dropped; JsonContent, whose length it does not compute; System.Text.Json
 *   Kotlin  dev.openfeature.kotlin.contrib.providers:ofrep: Ktor, whose JSON refuses unknown keys; whole numbers of
 *           metadata up to 32 bits, anything larger throws
 */

const document = {
  organisations: [
    {
      name: 'Harbour',
      plan: 'enterprise',
      projects: [
        {
          name: 'shop',
          environments: ['production', 'staging'],
          audiences: [{ name: 'Paying', rules: [{ attribute: 'plan', values: ['pro'] }] }],
          flags: [
            flag('pay/later now?', { enabled: true, trafficPercentage: 100, audience: 'Paying' }),
            flag('half', { enabled: true, trafficPercentage: 50 }),
            flag('kill switch', { enabled: false, trafficPercentage: 100 }),
          ],
          tokens: [{ name: 'ci', permission: 'write' }],
        },
      ],
    },
  ],
};

function flag(name: string, production: object): object {
  return { name, environments: { production, staging: {} } };
}

interface Service {
  readonly api: HttpClient;
  readonly project: ProvisionedProject;
}

async function boot(t: Test): Promise<Service> {
  const dataDir = temporaryDirectory(t);
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'shop');
  const { port } = await bootServer(t, { dataDir });
  return { api: createHttpClient(t, { port }), project };
}

const service = await boot(t);
const production = `${service.project.id}/production`;

function askAsDotNet(
  key: string,
  context: object,
  apiKey: string | null = production,
): Promise<ClientResponse> {
  return service.api.send({
    method: 'POST',
    path: `/ofrep/v1/evaluate/flags/${encodeURIComponent(key)}`,
    headers: {
      ...(apiKey === null ? {} : { 'x-api-key': apiKey }),
      'accept-encoding': 'gzip, deflate',
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify({ context }),
    isChunked: true,
  });
}

interface DotNetAnswer {
  readonly value: boolean;
  readonly errorCode: string | null;
}

/** As OfrepClient.EvaluateFlag with false as the default: it parses the bodies of 200 and 400 alone. */
function readAsDotNet({ status, text }: ClientResponse): DotNetAnswer {
  if (status === 404) return { value: false, errorCode: 'FLAG_NOT_FOUND' };
  if (status !== 200 && status !== 400) return { value: false, errorCode: 'GENERAL' };
  const { value, errorCode, metadata } = JSON.parse(text);
  if (value !== undefined && typeof value !== 'boolean') throw new Error(`no boolean: ${text}`);
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null)) throw new Error(text);
  return { value: value ?? false, errorCode: errorCode ?? null };
}

t.test('.NET asks at the root, and says with X-API-Key which project and environment', async (t) => {
  const on = { value: true, errorCode: null };
  const off = { value: false, errorCode: null };
  const name = 'pay/later now?';
  const id = idOf(service.project.flags, name);
  for (const key of [name, id]) {
    t.same(readAsDotNet(await askAsDotNet(key, { targetingKey: 'user-1', plan: 'pro' })), on, key);
    t.same(readAsDotNet(await askAsDotNet(key, { targetingKey: 'user-1' })), off, key);
  }
  t.same(readAsDotNet(await askAsDotNet('kill switch', {})), off);
  const elsewhere = `${service.project.id}/staging`;
  t.same(readAsDotNet(await askAsDotNet(name, { plan: 'pro', env: 'production' }, elsewhere)), off);
  t.same(readAsDotNet(await askAsDotNet(id, { plan: 'pro', env: 'production' }, null)), on, 'by id alone');
  t.match(readAsDotNet(await askAsDotNet('no such flag', {})), { errorCode: 'FLAG_NOT_FOUND' });
  t.match(readAsDotNet(await askAsDotNet(name, {}, 'nobody/production')), { errorCode: 'FLAG_NOT_FOUND' });
});

t.test('.NET gets the answers of the Evaluation API', async (t) => {
  const id = idOf(service.project.flags, 'half');
  for (let user = 0; user < 50; user += 1) {
    const { text } = await service.api.send({ path: `/v1/flags/${id}?env=production&targetingKey=u${user}` });
    const { value } = readAsDotNet(await askAsDotNet('half', { targetingKey: `u${user}`, seats: 42 }));
    t.equal(value, JSON.parse(text).enabled, `u${user}`);
  }
});

function askAsKotlin(context: object, etag: string | null = null): Promise<ClientResponse> {
  return service.api.send({
    method: 'POST',
    path: `/projects/${production}/ofrep/v1/evaluate/flags`,
    headers: {
      accept: 'application/json',
      'accept-charset': 'UTF-8',
      'user-agent': 'ktor-client',
      'content-type': 'application/json',
      ...(etag === null ? {} : { 'if-none-match': etag }),
    },
    body: JSON.stringify({ context }),
  });
}

const kotlinErrorCodes = [
  'FLAG_NOT_FOUND',
  'GENERAL',
  'INVALID_CONTEXT',
  'PARSE_ERROR',
  'PROVIDER_FATAL',
  'PROVIDER_NOT_READY',
  'TARGETING_KEY_MISSING',
  'TYPE_MISMATCH',
];

/** kotlinx.serialization throws on a key that the class lacks, and on a required one that is absent. */
function readClass(value: unknown, required: readonly string[], optional: readonly string[]): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object');
  const keys = Object.keys(value);
  const unknown = keys.filter((key) => !required.includes(key) && !optional.includes(key));
  const missing = required.filter((key) => !keys.includes(key));
  if (unknown.length + missing.length > 0) throw new Error(`unknown ${unknown}; missing ${missing}`);
  return value;
}

function checkMetadata(metadata: object): void {
  for (const [name, value] of Object.entries(metadata)) {
    const isInt = Number.isInteger(value) && (value as number) === ((value as number) | 0);
    if (typeof value !== 'string' && typeof value !== 'boolean' && !isInt)
      throw new Error(`${name}: ${value}`);
  }
}

interface KotlinFlag {
  readonly key: string;
  readonly value: boolean;
  readonly errorCode?: string;
  readonly metadata?: object;
}

/** As OfrepApi.postBulkEvaluateFlags: it parses the bodies of 200 and 400. @throws as it does */
function readAsKotlin({ text }: ClientResponse): ReadonlyMap<string, boolean> {
  const error = ['errorCode', 'errorDetails'];
  const body = readClass(JSON.parse(text), [], ['flags', ...error]) as {
    flags?: unknown[];
    errorCode?: string;
  };
  if (body.errorCode !== undefined && !kotlinErrorCodes.includes(body.errorCode)) throw new Error(text);
  const flags = (body.flags ?? []).map(
    (flag) => readClass(flag, ['key'], ['value', 'reason', 'variant', 'metadata', ...error]) as KotlinFlag,
  );
  for (const { metadata } of flags) checkMetadata(metadata ?? {});
  return new Map(flags.map(({ key, value }) => [key, value]));
}

t.test('Kotlin reads all flags, and gets 304 until one changes', async (t) => {
  const context = { plan: 'pro', seats: 5, targetingKey: 'user-1' };
  const first = await askAsKotlin(context);
  t.equal(first.status, 200);
  const flags = readAsKotlin(first);
  t.same([...flags.keys()], ['half', 'kill switch', 'pay/later now?']);
  t.equal(flags.get('pay/later now?'), true);
  t.equal(flags.get('kill switch'), false);

  const etag = first.headers.get('etag') ?? null;
  t.not(etag, null);
  t.equal((await askAsKotlin(context, etag)).status, 304);
  t.equal((await askAsKotlin({ ...context, plan: 'free' }, etag)).status, 200, 'other answers');

  const { status } = await service.api.send({
    method: 'PATCH',
    path: `/api/v1/flags/${idOf(service.project.flags, 'kill switch')}?env=production`,
    headers: bearer(tokenOf(service.project, 'ci').secret),
    body: '{"enabled":true}',
  });
  t.equal(status, 200);
  const changed = await askAsKotlin(context, etag);
  t.equal(changed.status, 200);
  t.equal(readAsKotlin(changed).get('kill switch'), true);
});

t.test('Kotlin reads the body of a 400', async (t) => {
  const refused = await service.api.send({
    method: 'POST',
    path: `/projects/${production}/ofrep/v1/evaluate/flags`,
    headers: { 'content-type': 'application/json' },
    body: '{"context":["user-1"]}',
  });
  t.equal(refused.status, 400);
  t.equal(readAsKotlin(refused).size, 0);
  t.same(Object.keys(JSON.parse(refused.text)).sort(), ['errorCode', 'errorDetails']);
});
