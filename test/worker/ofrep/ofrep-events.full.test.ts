import t, { type Test } from 'tap';
import { adminClientOf } from '../../admin/admin-fixture.ts';
import { openEvents } from './event-source.ts';
import { flagOf, type OfrepService, startOfrep } from './ofrep-fixture.ts';

t.setTimeout(120_000);

const service = await startOfrep(t, { BURGEE_WORKERS: '2' });
const { shop, solo, closed, server, ask } = service;
const production = `/projects/${shop.id}/production`;

function change({ manage }: OfrepService, name: string, environment: string | null) {
  const project = environment === null ? solo : shop;
  const query = environment === null ? '' : `?env=${environment}`;
  // Each change differs from the last one.
  trafficPercentage = (trafficPercentage + 1) % 100;
  return manage(project, 'PATCH', `/flags/${flagOf(project, name)}${query}`, { trafficPercentage });
}
let trafficPercentage = 0;

function follow(t: Test, base: string, headers: Record<string, string> = {}) {
  return openEvents(t, server.port, `${base}/ofrep/v1/events`, headers);
}

t.test('a browser is told to ask again when it connects, and after a change', async (t) => {
  const events = await follow(t, production);
  t.equal(events.status, 200);
  t.equal(events.headers['content-type'], 'text/event-stream');
  t.equal(events.headers['access-control-allow-origin'], '*');
  t.equal(events.headers['cache-control'], 'no-store');
  const first = await events.next();
  t.same(Object.keys(first.data), ['type', 'etag', 'lastModified']);
  t.equal(first.data.type, 'refetchEvaluation');
  t.equal(first.data.etag, first.id);
  t.match(events.text(), /^retry: \d+\n\n/);
  t.equal((await change(service, 'checkout', 'production')).status, 200);
  const second = await events.next();
  t.not(second.id, first.id);
  const again = await follow(t, production, { 'Last-Event-ID': second.id });
  const late = await follow(t, production, { 'Last-Event-ID': first.id });
  t.equal((await late.next()).id, second.id, 'what changed meanwhile is told');
  t.equal((await change(service, 'checkout', 'production')).status, 200);
  const third = await again.next();
  t.not(third.id, second.id, 'a browser that knew the newest event is told of the next one only');
  t.equal((await late.next()).id, third.id);
  t.equal((await events.next()).id, third.id);
});

t.test('changes of other environments and projects are not told', async (t) => {
  const [own, other] = [await follow(t, production), await follow(t, `/projects/${solo.id}`)];
  const [first] = [await own.next(), await other.next()];
  for (let round = 0; round < 3; round += 1) {
    t.equal((await change(service, 'billing', 'staging')).status, 200);
    t.equal((await change(service, 'half', null)).status, 200);
  }
  await other.next();
  const fresh = await follow(t, production);
  t.equal((await fresh.next()).id, first.id);
  t.same(own.waiting, []);
});

t.test('many changes are told as few', async (t) => {
  const events = await follow(t, production);
  await events.next();
  for (let round = 0; round < 30; round += 1) await change(service, 'checkout', 'production');
  const newest = (await (await follow(t, production)).next()).id;
  let told = 1;
  while ((await events.next()).id !== newest) told += 1;
  t.ok(told < 10, `told ${told} times of 30 changes`);
});

t.test('a client that was told of a change gets an answer, although it has the same one', async (t) => {
  // Without a key a percentage is a new roll for each request.
  const body = JSON.stringify({ context: { targetingKey: 'u1' } });
  const etag = (await ask(production, null, body)).headers.get('etag') ?? '';
  const known = { 'If-None-Match': etag };
  const { id } = await (await follow(t, production)).next();
  const statusWith = async (query: string) => {
    const path = `${production}/ofrep/v1/evaluate/flags?flagConfigEtag=${query}`;
    return (await service.client.send({ method: 'POST', path, headers: known, body })).status;
  };
  t.equal(await statusWith(encodeURIComponent(id)), 304);
  t.equal(await statusWith('other'), 200);
  t.equal(await statusWith(''), 304);
  t.equal(await statusWith('%'), 200);
});

t.test('events need an address at which flags are evaluated', async (t) => {
  const refusals = [
    [`/projects/${closed.id}`, 403],
    [`/projects/${shop.id}`, 404],
    [`/projects/${shop.id}/nowhere`, 404],
    [`/projects/${'A'.repeat(20)}`, 404],
    ['', 400],
  ] as const;
  for (const [base, status] of refusals) {
    const events = await follow(t, base);
    t.equal(events.status, status, base);
    await events.ended;
    t.same(Object.keys(JSON.parse(events.text())), ['errorCode', 'errorDetails']);
  }
  const byHeader = await follow(t, '', { 'X-API-Key': `${shop.id}/production` });
  t.equal(byHeader.status, 200);
});

t.test('streams end when the Evaluation API of their project is switched off', async (t) => {
  const other = await startOfrep(t);
  const base = `/projects/${other.solo.id}`;
  const events = await openEvents(t, other.server.port, `${base}/ofrep/v1/events`);
  const kept = await openEvents(
    t,
    other.server.port,
    `/projects/${other.shop.id}/production/ofrep/v1/events`,
  );
  await Promise.all([events.next(), kept.next()]);
  await other.apply({ name: 'solo', evaluationAccess: false });
  await events.ended;
  const again = await openEvents(t, other.server.port, `${base}/ofrep/v1/events`);
  t.equal(again.status, 403);
  t.same(kept.waiting, []);
});

t.test('streams end when the service drains', async (t) => {
  const other = await startOfrep(t);
  const events = await openEvents(t, other.server.port, `/projects/${other.solo.id}/ofrep/v1/events`);
  await events.next();
  await Promise.all([events.ended, other.server.stop()]);
});

t.test('no more streams than there are places', async (t) => {
  const other = await startOfrep(t, {
    BURGEE_SYNC_STREAMS_MAX: '2',
    BURGEE_WORKERS: '1',
    BURGEE_ADMIN_PORT: '0',
  });
  const open = (id: string) => openEvents(t, other.server.port, `/projects/${id}/ofrep/v1/events`);
  const first = await open(other.solo.id);
  t.equal(first.status, 200);
  const share = await open(other.solo.id);
  t.equal(share.status, 500, 'half of the places are for browsers');
  t.equal(share.headers['retry-after'], '1');
  const { scrape } = await adminClientOf(t, other.server);
  const figures = await scrape();
  t.equal(figures.value('burgee_browser_streams', {}), 1);
  t.equal(figures.value('burgee_sync_streams_refused_total', { share: 'browsers' }), 1);
  first.close();
  await first.ended;
  let status = 0;
  // The server learns a moment later that the connection is closed.
  while (status !== 200) ({ status } = await open(other.solo.id));
});
