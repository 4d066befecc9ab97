import t from 'tap';
import { flagOf, startOfrep } from './ofrep-fixture.ts';

t.setTimeout(120_000);

const service = await startOfrep(t);
const { shop, solo, closed, ask, client, manage } = service;
const production = `/projects/${shop.id}/production`;
const staging = `/projects/${shop.id}/${encodeURIComponent('staging')}`;
const single = `/projects/${solo.id}`;

t.test('one flag, with its whole answer', async (t) => {
  const answer = await ask(production, 'checkout', { context: { targetingKey: 'user-1' } });
  t.equal(answer.status, 200);
  const id = flagOf(shop, 'checkout');
  const { value } = answer.json;
  t.same(answer.json, {
    key: 'checkout',
    value,
    reason: 'SPLIT',
    variant: value ? 'on' : 'off',
    metadata: {
      reason: value ? 'bucket-in-rollout' : 'bucket-not-in-rollout',
      flagId: id,
      version: '1',
      flagSetId: `${shop.id}/production`,
    },
  });
  t.equal(answer.headers.get('content-type'), 'application/json');
  t.equal(answer.headers.get('access-control-allow-origin'), '*');
  t.equal(answer.headers.get('access-control-expose-headers'), 'ETag, Retry-After');
  t.equal(answer.headers.get('cache-control'), 'no-store');
});

t.test('reasons in the words of OpenFeature, and off is never DISABLED', async (t) => {
  const reasonOf = async (base: string, key: string, context: object) => {
    const { json } = await ask(base, key, { context });
    return [json.value, json.reason, json.variant, json.metadata.reason];
  };
  const paying = { plan: ['free', 42.0], region: 'eu' };
  t.same(await reasonOf(production, 'dark', {}), [false, 'STATIC', 'off', 'flag-off']);
  t.same(await reasonOf(production, 'search/new?', { cohort: ['a', 'vip'] }), [
    true,
    'TARGETING_MATCH',
    'on',
    'cohort-match',
  ]);
  t.same(await reasonOf(production, 'billing', {}), [false, 'TARGETING_MATCH', 'off', 'audience-mismatch']);
  t.same(await reasonOf(production, 'billing', paying), [true, 'STATIC', 'on', 'full-rollout']);
  t.same(await reasonOf(production, 'billing', { plan: true, region: '€' }), [
    true,
    'STATIC',
    'on',
    'full-rollout',
  ]);
  t.same(await reasonOf(production, 'search/new?', { cohort: 'other' }), [
    false,
    'STATIC',
    'off',
    'no-rollout',
  ]);
  t.same((await reasonOf(single, 'half', { cohort: 'a' }))[1], 'SPLIT');
});

t.test('a flag is found by id, then by name, with any characters of the path', async (t) => {
  for (const name of ['checkout', 'search/new?', 'für 50%', 'billing', 'dark']) {
    const id = flagOf(shop, name);
    t.same((await ask(production, name)).json.metadata.flagId, id, name);
    const byId = await ask(production, id);
    t.same([byId.json.key, byId.json.metadata.flagId], [id, id]);
  }
  const raw = async (rest: string) => {
    const path = `${production}/ofrep/v1/evaluate/flags/${rest}`;
    const { text } = await client.send({ method: 'POST', path, body: '{}' });
    return JSON.parse(text).metadata?.flagId;
  };
  t.equal(await raw('search/new%3F'), flagOf(shop, 'search/new?'), 'a slash that is not encoded');
  t.equal(await raw('für%2050%25'), flagOf(shop, 'für 50%'), 'raw UTF-8');
  t.equal(await raw('100%'), flagOf(shop, '100%'), 'a percent sign that begins no escape');
  t.equal(await raw('f%C3%BCr%2050%'), flagOf(shop, 'für 50%'), 'and escapes beside it');
});

t.test('every address of the same flag', async (t) => {
  const id = flagOf(shop, 'billing');
  const context = { targetingKey: 'u1', env: 'no environment' };
  const paths = [production, `${production}/`, `/projects/${encodeURIComponent(shop.id)}/production`];
  for (const base of paths)
    t.equal(
      (await ask(base, 'billing', { context })).json.metadata?.flagSetId,
      `${shop.id}/production`,
      base,
    );
  t.equal((await ask(staging, id, { context })).json.metadata.flagSetId, `${shop.id}/staging`);
  t.equal((await ask(`/projects/${shop.id}/ofrep`, id)).json.metadata.flagSetId, `${shop.id}/ofrep`);
  for (const base of ['', '/']) {
    const byHeader = { 'X-API-Key': `${shop.id}/staging` };
    t.equal((await ask(base, 'billing', {}, byHeader)).json.metadata.flagSetId, `${shop.id}/staging`);
    t.equal((await ask(base, 'banner', {}, { 'X-API-Key': solo.id })).json.metadata.flagSetId, solo.id);
    const byContext = await ask(base, id, { context: { env: 'production' } });
    t.equal(byContext.json.metadata.flagSetId, `${shop.id}/production`, 'without a header: an id, and env');
    t.equal((await ask(base, flagOf(solo, 'banner'))).json.metadata.flagSetId, solo.id);
  }
  t.equal((await ask(`/projects/${shop.id}`, id, { context: { env: 'production' } })).status, 200);
  t.equal((await ask(production, id, {}, { 'X-API-Key': solo.id })).status, 200, 'the path wins');
});

t.test('a header that names no project is refused, and not taken for none', async (t) => {
  const [id, place] = [flagOf(solo, 'banner'), `${shop.id}/production`];
  const keys = [`${place}/more`, `/${place}`, '/', `${place}/`];
  for (const key of keys) {
    const headers = { 'X-API-Key': key };
    const one = await ask('', id, { context: { targetingKey: 'u1' } }, headers);
    t.same([one.status, one.json.key, one.json.errorCode], [400, id, 'GENERAL'], key);
    t.match(one.json.errorDetails, /^X-API-Key must be/, key);
    const all = await ask('', null, {}, headers);
    t.same([all.status, Object.keys(all.json)], [400, ['errorCode', 'errorDetails']], key);
    const { status, text } = await client.send({ path: '/ofrep/v1/events', headers });
    t.equal(status, 400, key);
    t.match(JSON.parse(text).errorDetails, /^X-API-Key must be/, key);
    t.equal((await ask(single, 'banner', {}, headers)).status, 200, 'below /projects it is not read');
  }
  t.equal((await ask('', id, {}, { 'X-API-Key': ' ' })).status, 200, 'an empty one is none');
});

t.test('an environment of the address is ignored where a project has none', async (t) => {
  for (const environment of ['production', 'no such']) {
    const base = `${single}/${encodeURIComponent(environment)}`;
    const { status, json } = await ask(base, 'banner', {});
    t.same([status, json.metadata.flagSetId], [200, solo.id]);
    t.equal((await ask(base, null, {})).status, 200);
    const byEvaluation = await client.send({
      path: `/v1/flags/${flagOf(solo, 'banner')}?env=${encodeURIComponent(environment)}`,
    });
    t.equal(byEvaluation.status, 200, 'as the Evaluation API does');
  }
});

t.test('an empty context is a context', async (t) => {
  for (const body of [
    '{}',
    '{"context":null}',
    '{"context":{}}',
    '{"context":{"targetingKey":""}}',
    '{"x":[]}',
  ]) {
    t.equal((await ask(single, 'banner', body)).status, 200, body);
    t.equal((await ask(single, null, body)).status, 200, body);
  }
});

t.test('all flags, under their names', async (t) => {
  const answer = await ask(production, null, { context: { targetingKey: 'u1', cohort: 'beta' } });
  t.equal(answer.status, 200);
  t.same(Object.keys(answer.json), ['flags']);
  t.same(
    answer.json.flags.map(({ key }: { key: string }) => key),
    ['100%', 'billing', 'checkout', 'dark', 'für 50%', 'search/new?'],
  );
  for (const flag of answer.json.flags) {
    const one = await ask(production, flag.key, { context: { targetingKey: 'u1', cohort: 'beta' } });
    t.same(flag, one.json);
  }
  t.match(answer.headers.get('etag') ?? '', /^"[\w-]{43}"$/);
  t.same((await ask(single, null)).json.flags.length, 2);
});

t.test('a name stays with the flag that had it first', async (t) => {
  const id = flagOf(solo, 'half');
  const first = await ask(single, 'half', { context: { targetingKey: 'u1' } });
  const dry = await manage(solo, 'POST', '/flags?dryRun=true', { name: 'half' });
  const created = await manage(solo, 'POST', '/flags', { name: ' half' });
  for (const { status, headers } of [dry, created]) {
    t.same([status, headers.get('burgee-name-taken-by')], [201, id]);
  }
  const other = await manage(solo, 'POST', '/flags', { name: 'quarter' });
  t.equal(other.headers.has('burgee-name-taken-by'), false);
  const again = await ask(single, 'half', { context: { targetingKey: 'u1' } });
  t.same(again.json, first.json);
  t.equal(again.json.metadata.flagId, id);
  t.equal((await ask(single, created.json.id)).json.value, false, 'the later flag answers to its id');
  const { json } = await ask(single, null);
  t.same(
    json.flags.map(({ key }: { key: string }) => key),
    ['banner', ...(id < created.json.id ? ['half', created.json.id] : [created.json.id, 'half']), 'quarter'],
  );
  await manage(solo, 'POST', '/flags', { name: created.json.id });
  const keys = (await ask(single, null)).json.flags.map(({ key }: { key: string }) => key);
  t.equal(new Set(keys).size, 5, 'a name that is the id of another flag is no key');
  t.equal(keys.filter((key: string) => key === created.json.id).length, 1);
  const listed = await manage(solo, 'GET', '/flags?name=half', '');
  t.same(
    listed.json.flags.map((flag: { id: string }) => flag.id),
    [id, created.json.id],
    'the owner comes first',
  );
});

t.test('the answer with a known tag is a 304', async (t) => {
  const context = { targetingKey: 'u1', plan: 'pro' };
  const first = await ask(production, null, { context });
  const etag = first.headers.get('etag') ?? '';
  const known = { 'If-None-Match': `"other", W/${etag}` };
  const again = await ask(production, null, { context }, known);
  t.same([again.status, again.text, again.headers.get('etag')], [304, '', etag]);
  t.equal(again.headers.get('access-control-allow-origin'), '*');
  t.equal((await ask(production, null, { context }, { 'If-None-Match': '"other"' })).status, 200);
  const otherContext = { ...context, region: 'eu' };
  t.equal((await ask(production, null, { context: otherContext }, known)).status, 200, 'another context');
  const id = flagOf(shop, 'dark');
  const changed = await manage(shop, 'PATCH', `/flags/${id}?env=production`, { enabled: true });
  t.equal(changed.status, 200);
  const fresh = await ask(production, null, { context }, known);
  t.equal(fresh.status, 200, 'a change');
  t.not(fresh.headers.get('etag'), etag);
  t.equal(fresh.json.flags.find(({ key }: { key: string }) => key === 'dark').metadata.version, '2');
});

t.test('errors, each in the shape of OFREP', async (t) => {
  const unknown = 'A'.repeat(20);
  const one = async (base: string, key: string, body: unknown, headers = {}) => {
    const { status, json } = await ask(base, key, body, headers);
    t.same(Object.keys(json), ['key', 'errorCode', 'errorDetails'], JSON.stringify([base, key]));
    t.equal(json.key, key);
    t.type(json.errorDetails, 'string');
    return [status, json.errorCode];
  };
  const all = async (base: string, body: unknown, headers = {}) => {
    const { status, json } = await ask(base, null, body, headers);
    t.same(Object.keys(json), ['errorCode', 'errorDetails'], base);
    return [status, json.errorCode];
  };
  t.same(await one(production, 'nothing', {}), [404, 'FLAG_NOT_FOUND']);
  t.same(
    await one(production, flagOf(solo, 'banner'), {}),
    [404, 'FLAG_NOT_FOUND'],
    'a flag of another project',
  );
  t.same(await one(`/projects/${unknown}`, 'checkout', {}), [404, 'FLAG_NOT_FOUND']);
  t.same(await one(`/projects/${shop.id}/nowhere`, 'checkout', {}), [404, 'FLAG_NOT_FOUND']);
  t.same(await one(`/projects/${shop.id}`, 'checkout', {}), [404, 'FLAG_NOT_FOUND']);
  t.same(await one(`/projects/${closed.id}`, 'secret', {}), [403, 'GENERAL']);
  t.same(await one(`/projects/${closed.id}`, flagOf(closed, 'secret'), {}), [403, 'GENERAL']);
  t.same(await one('', flagOf(closed, 'secret'), {}), [403, 'GENERAL']);
  t.same(await one('', 'checkout', {}), [400, 'GENERAL']);
  t.same(await all('', {}), [400, 'GENERAL']);
  t.same(await all(`/projects/${unknown}`, {}), [404, 'FLAG_NOT_FOUND']);
  t.same(await all(`/projects/${shop.id}/nowhere`, {}), [404, 'FLAG_NOT_FOUND']);
  t.same(await all(`/projects/${shop.id}`, {}), [404, 'FLAG_NOT_FOUND']);
  t.same(await all(`/projects/${closed.id}`, {}), [403, 'GENERAL']);
  for (const body of [
    '',
    ' ',
    '{',
    '[]',
    'null',
    '7',
    '{"context":{}',
    '\ufeff{}',
    '{"context":{"a":"\\x"}}',
  ]) {
    t.same(await one(production, 'checkout', body), [400, 'PARSE_ERROR'], body);
    t.same(await all(production, body), [400, 'PARSE_ERROR'], body);
  }
  for (const body of ['{"context":[]}', '{"context":"u1"}', '{"context":7}', '{"context":false}']) {
    t.same(await one(production, 'checkout', body), [400, 'INVALID_CONTEXT'], body);
    t.same(await all(production, body), [400, 'INVALID_CONTEXT'], body);
  }
  const many = { context: { ['n'.repeat(32_000)]: new Array(15_000).fill(1) } };
  t.same(await one(production, 'checkout', many), [400, 'INVALID_CONTEXT'], 'too many values');
  t.same(await all(production, many), [400, 'INVALID_CONTEXT'], 'too many values');
  const large = JSON.stringify({ context: { text: 'x'.repeat(64 * 1024) } });
  t.same(await one(production, 'checkout', large), [413, 'GENERAL']);
  t.same(await all(production, large), [413, 'GENERAL']);
});

t.test('what OFREP does not have, and preflights', async (t) => {
  const send = async (method: string, path: string) => {
    const { status, headers, text } = await client.send({
      method,
      path,
      body: method === 'POST' ? '{}' : '',
    });
    return { status, headers, text };
  };
  const shapes = [
    ['GET', `${production}/ofrep/v1/evaluate/flags/checkout`],
    ['PUT', `${production}/ofrep/v1/evaluate/flags`],
    ['POST', `${production}/ofrep/v1/evaluate`],
    ['POST', `${production}/ofrep/v1/configuration`],
    ['POST', `${production}/more/ofrep/v1/evaluate/flags`],
    ['POST', '/ofrep/v1/'],
  ] as const;
  for (const [method, path] of shapes) {
    const { status, text } = await send(method, path);
    t.equal(status, 404, `${method} ${path}`);
    t.same(Object.keys(JSON.parse(text)), ['errorCode', 'errorDetails']);
  }
  for (const path of [
    `${production}/ofrep/v1/evaluate/flags`,
    '/ofrep/v1/evaluate/flags/x',
    '//ofrep/v1/evaluate/flags',
  ]) {
    const { status, headers, text } = await send('OPTIONS', path);
    t.same([status, text], [204, '']);
    t.equal(headers.get('access-control-allow-origin'), '*');
    t.equal(
      headers.get('access-control-allow-headers'),
      'Content-Type, If-None-Match, Authorization, X-API-Key, *',
    );
    t.equal(headers.get('access-control-allow-methods'), 'POST, GET, OPTIONS');
  }
  t.equal((await send('GET', `/projects/${shop.id}`)).status, 404);
});

t.test('only a browser is told where the events are, by its own address', async (t) => {
  const streamsOf = async (base: string, headers: Record<string, string>, context = {}) =>
    (await ask(base, null, { context }, headers)).json.eventStreams;
  const origin = { Origin: 'https://app.example' };
  t.equal(await streamsOf(production, {}), undefined);
  const url = `http://127.0.0.1:${service.server.port}${staging}/ofrep/v1/events`;
  t.same(await streamsOf(staging, origin), [{ type: 'sse', url }]);
  const byContext = await streamsOf(`/projects/${shop.id}`, origin, { env: 'staging' });
  t.same(byContext, [{ type: 'sse', url }], 'of the environment that was evaluated');
  const named = { ...origin, Host: 'flags.example:81' };
  t.same(await streamsOf(single, named), [
    { type: 'sse', url: `http://flags.example:81${single}/ofrep/v1/events` },
  ]);
  const forwarded = { ...origin, 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
  t.match((await streamsOf(single, forwarded))[0].url, /^http:\/\/127/, 'a peer that is no trusted proxy');
  t.match((await streamsOf(single, { ...origin, Host: 'a b' }))[0].url, /^http:\/\/127/);
});
