import t from 'tap';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { bearer } from '../support/http-client.ts';
import { idOf, tokenOf } from '../support/provisioning.ts';
import { openSync } from './sync-client.ts';
import { bootSync, syncDocument } from './sync-fixture.ts';

t.setTimeout(180_000);
/** For tests without settings of their own, each of which changes other flags. */
const site = await bootSync(t);

t.test('a snapshot has what an environment evaluates, and no more', async (test) => {
  const { shop } = site;
  const [first, pro] = [idOf(shop.flags, 'first'), idOf(shop.audiences, 'Pro')];
  await site.patch(first, { enabled: true, trafficPercentage: 30, cohorts: ['a"b', 'ü'], audienceId: pro });
  await site.patch(idOf(shop.flags, 'second'), { enabled: true }, 'staging');
  const snapshot = await site.snapshot();
  test.match(snapshot.version, /^\w{20}[.]\d+$/);
  test.equal(snapshot.projectId, shop.id);
  test.equal(snapshot.environment, 'production');
  test.strictSame(
    snapshot.flags.map(({ name }) => name),
    ['first', 'second', 'third'],
  );
  test.strictSame(snapshot.flags[0], {
    ...{ id: first, name: 'first', names: ['first'], revision: 2, enabled: true, trafficPercentage: 30 },
    ...{ cohorts: ['a"b', 'ü'], audienceId: pro },
  });
  test.equal(snapshot.flags[1]?.enabled, false, 'the state of another environment is not shown');
  test.strictSame(
    snapshot.audiences,
    [{ id: pro, rules: [{ attribute: 'plan', values: ['pro', 'te"am'] }] }],
    'only audiences that a flag applies',
  );
  const single = await site.snapshot(`/sync/v1/${site.single.id}`, site.secret('read', site.single));
  test.equal(single.environment, null);
});

t.test('an unchanged configuration is a 304, and another environment does not change it', async (test) => {
  const { shop } = site;
  const known = await site.get(site.path(), site.secret());
  const tag = known.headers.get('etag') ?? '';
  test.equal(tag, `"${JSON.parse(known.text).version}"`);
  test.equal(known.headers.has('access-control-allow-origin'), false, 'no page of another site may read it');
  const again = (etag: string) => site.get(site.path(), site.secret(), { 'If-None-Match': etag });
  test.equal((await again(tag)).status, 304);
  test.equal((await again(`W/${tag}`)).status, 304);
  await site.patch(idOf(shop.flags, 'third'), { enabled: true }, 'staging');
  test.equal((await again(tag)).status, 304, 'a change of another environment');
  await site.patch(idOf(shop.flags, 'third'), { enabled: true });
  const changed = await again(tag);
  test.equal(changed.status, 200);
  test.not(changed.headers.get('etag'), tag);
  for (const other of ['"x"', '"', `"${'a'.repeat(20)}.1"`, `${tag.slice(0, -1)}999"`]) {
    test.equal((await again(other)).status, 200, other);
  }
});

t.test('only a token of the project that permits the environment gets its configuration', async (test) => {
  const { shop, single } = site;
  const statusOf = async (path: string, secret: string | null): Promise<number> => {
    const status = (await site.get(path, secret)).status;
    if (status === 200) return status;
    const stream = await site.get(path, secret, { Accept: 'text/event-stream' });
    test.equal(stream.status, status, `${path} as a stream`);
    return status;
  };
  const [write, staging] = [site.secret(), site.secret('staging')];
  test.equal(await statusOf(site.path(), null), 401);
  test.equal(await statusOf(site.path(), 'burgee_nonsense'), 401);
  test.equal(await statusOf(site.path(), staging), 403);
  test.equal(await statusOf(site.path('nowhere'), staging), 403, 'whether or not it exists');
  test.equal(await statusOf(site.path('nowhere'), write), 404);
  test.equal(await statusOf(`/sync/v1/${shop.id}`, write), 404);
  test.equal(await statusOf(`/sync/v1/${single.id}`, write), 404, 'another project');
  test.equal(await statusOf(`/sync/v1/${'x'.repeat(20)}`, write), 404);
  test.equal(await statusOf(`/sync/v1/${single.id}/production`, site.secret('read', single)), 404);
  test.equal(await statusOf('/sync/v1', write), 404);
  test.equal((await site.get(site.path(), site.secret('read'))).status, 200, 'a token that may only read');
  test.equal((await site.get(site.path('staging'), staging)).status, 200);
  const foreign = await site.get(`/sync/v1/${single.id}`, write);
  const unknown = await site.get(`/sync/v1/${'x'.repeat(20)}`, write);
  test.equal(foreign.text, unknown.text, 'another project is answered as one that does not exist');
});

t.test(
  'refusals of a token are recorded once a minute, however often it asks, and told late',
  async (test) => {
    const refusing = await bootSync(test, { settings: { BURGEE_WORKERS: '2' } });
    const { server, shop } = refusing;
    const staging = tokenOf(shop, 'staging');
    test.equal((await refusing.get(refusing.path(), staging.secret)).status, 403);
    const since = performance.now();
    const attempts = Array.from({ length: 8 }, async (_, attempt) => {
      const { status } = await refusing.get(`${refusing.path()}?attempt=${attempt}`, staging.secret);
      return { status, afterMs: performance.now() - since };
    });
    const refused = await Promise.all(attempts);
    test.same([...new Set(refused.map(({ status }) => status))], [403]);
    const late = refused.filter(({ afterMs }) => afterMs >= 990);
    // The first refusal by each of two workers is recorded, and told at once.
    test.ok(late.length >= refused.length - 1, `${late.length} of ${refused.length} came late`);
    await server.stop();
    const reader = openStoreReader({ directory: server.dataDir, mapBytes: 2 ** 30 });
    test.teardown(() => reader.close());
    const [denial, ...more] = reader.queries.denialsOf(staging.id);
    test.match(denial, { reason: 'environment-not-permitted', environment: 'production' });
    test.same(more, []);
  },
);

t.test('a method or path that sync does not have is named as the fault', async (test) => {
  const { client, shop } = site;
  const [secret, path] = [site.secret(), site.path()];
  const ask = async (method: string, asked: string, headers = {}) => {
    const { status, text } = await client.send({
      method,
      path: asked,
      headers,
      body: method === 'POST' ? '{}' : '',
    });
    return { status, detail: String(JSON.parse(text).detail) };
  };
  for (const [method, asked] of [
    ['POST', path],
    ['DELETE', path],
    ['GET', '/sync/v1'],
    ['GET', `${path}/more`],
    ['POST', `/sync/v1/usage/${shop.id}/production/more`],
    ['PUT', `/sync/v1/usage/${shop.id}/production`],
  ] as const) {
    const named = `${method} ${asked}`;
    const { status, detail } = await ask(method, asked, bearer(secret));
    test.equal(status, 404, named);
    test.match(detail, /^Sync has no endpoint of this method and path/, named);
    test.equal((await ask(method, asked)).status, 401, `${named} without a token`);
  }
});

t.test('a stream is given to whoever accepts one', async (test) => {
  const typeOf = async (accept: string): Promise<string> => {
    const stream = await openSync(test, { ...site.server, path: site.path(), secret: site.secret(), accept });
    stream.close();
    return String(stream.headers['content-type']);
  };
  for (const accept of [
    'text/event-stream',
    'Text/Event-Stream;q=0.5',
    'application/json, text/event-stream',
  ]) {
    test.equal(await typeOf(accept), 'text/event-stream', accept);
  }
  for (const accept of [
    'text/event-stream;q=0',
    'application/json, text/event-stream; q=0.000',
    'text/event-stream;charset=utf-8;q=0',
    'text/event-streams',
    '*/*',
  ]) {
    test.equal(await typeOf(accept), 'application/json', accept);
  }
});

t.test(
  'neither the plan, the rate of requests, nor wrong tokens of its address stop a valid token',
  async (test) => {
    const settings = { BURGEE_MANAGEMENT_RATE_LIMIT: '1', BURGEE_FAILED_AUTHENTICATION_LIMIT: '2' };
    const limited = await bootSync(test, { settings, document: syncDocument(undefined, 'free') });
    for (let count = 0; count < 5; count += 1) {
      test.equal((await limited.get(limited.path(), limited.secret())).status, 200);
    }
    for (const status of [401, 401, 429])
      test.equal((await limited.get(limited.path(), null)).status, status);
    const refused = await limited.get(limited.path(), 'burgee_nonsense');
    test.equal(refused.status, 429);
    test.ok(refused.headers.has('retry-after'));
    test.equal((await limited.get(limited.path(), limited.secret())).status, 200, 'of the same address');
    const managed = await limited.get(`/api/v1/flags/${idOf(limited.shop.flags, 'first')}`, null);
    test.equal(managed.status, 401, 'the Management API counts for itself');
  },
);
