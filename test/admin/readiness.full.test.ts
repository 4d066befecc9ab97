import t from 'tap';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer, startServer } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { adminClientOf, bootWithAdmin } from './admin-fixture.ts';
import { Hold } from './hold.ts';

/*
 * Readiness says whether the service should get traffic, health only that it lives. A hanging thread does not hang a
 * scrape.
 */
t.setTimeout(120_000);

t.test('a starting server is not ready, and says what is missing', async (t) => {
  const { dataDir } = await provisionOne(t);
  const hold = new Hold(temporaryDirectory(t));
  hold.begin('start');
  const starting = startServer(t, { dataDir, settings: { BURGEE_ADMIN_PORT: '0', ...hold.settings } });
  const admin = await adminClientOf(t, starting);
  await hold.isHeld('start');
  const before = await admin.get('/ready');
  t.equal(before.status, 503);
  t.equal(before.headers.get('retry-after'), '1');
  t.same(JSON.parse(before.text), { status: 'starting', failing: ['writer', 'workers', 'front'] });
  t.equal((await admin.scrape()).value('burgee_ready'), 0, 'a scrape is answered all the same');
  hold.end('start');
  await starting.line((line) => line.includes('"listening"'));
  const after = await admin.get('/ready');
  t.equal(after.status, 200);
  t.same(JSON.parse(after.text), { status: 'ready' });
  t.notOk(after.headers.has('retry-after'));
  await starting.stop();
});

t.test('the server listens once all workers serve', async (t) => {
  const { dataDir } = await provisionOne(t);
  const hold = new Hold(temporaryDirectory(t));
  hold.begin('worker');
  const settings = { BURGEE_WORKERS: '3', BURGEE_ADMIN_PORT: '0', ...hold.settings };
  const starting = startServer(t, { dataDir, settings });
  const admin = await adminClientOf(t, starting);
  await hold.isHeld('worker');
  while ((await admin.scrape()).value('burgee_workers') === 0);
  // Long enough for the rest of a start.
  for (let look = 0; look < 200; look += 1) {
    const { status, failing } = JSON.parse((await admin.get('/ready')).text);
    if (status !== 'starting' || failing?.join() !== 'front') t.fail(`it is ${status} without a worker`);
  }
  hold.end('worker');
  await starting.line((line) => line.includes('"listening"'));
  t.equal((await admin.scrape()).value('burgee_workers'), 3);
  await starting.stop();
});

t.test('a draining server is not ready, and answers the requests that it has', async (t) => {
  const { dataDir, secret } = await provisionOne(t);
  const { server, admin } = await bootWithAdmin(t, { dataDir });
  t.equal((await admin.get('/ready')).status, 200);
  const connection = await openRawConnection(t, server.port);
  const body = JSON.stringify({ name: 'late' });
  const head = `Host: localhost\r\nAuthorization: ${bearer(secret)['authorization']}\r\nContent-Length: ${body.length}`;
  connection.write(`POST /api/v1/flags HTTP/1.1\r\n${head}\r\n\r\n${body.slice(0, 3)}`);
  while ((await admin.scrape()).value('burgee_management_requests_in_flight') === 0);
  server.signal('SIGTERM');
  let ready = await admin.get('/ready');
  while (ready.status === 200) ready = await admin.get('/ready');
  t.equal(ready.status, 503);
  t.equal(ready.headers.get('retry-after'), '1');
  t.same(JSON.parse(ready.text), { status: 'draining', failing: ['front'] });
  connection.write(body.slice(3));
  t.equal((await connection.response())?.status, 201);
  t.equal(await server.ended, 0);
});

t.test('with a hung worker the service is not ready, a scrape shows it, a spare serves', async (t) => {
  const { dataDir, flag } = await provisionOne(t);
  const hold = new Hold(temporaryDirectory(t));
  const settings = { BURGEE_WORKERS: '1', BURGEE_REQUEST_DEADLINE_MS: '2000', ...hold.settings };
  const { server, admin } = await bootWithAdmin(t, { dataDir, settings });
  const client = createHttpClient(t, { port: server.port, connectionsMax: 3 });
  const ask = () => client.send({ path: `/v1/flags/${flag}` });
  t.same(
    await Promise.all([ask(), ask(), ask()].map(async (answer) => (await answer).status)),
    [200, 200, 200],
  );
  hold.begin('worker');
  await hold.isHeld('worker');
  const asked = [ask(), ask(), ask()];
  t.equal((await admin.scrape()).sum('burgee_evaluations_total'), 3, 'its counts stay readable');
  let ready = await admin.get('/ready');
  while (ready.status === 200) ready = await admin.get('/ready');
  t.same(JSON.parse(ready.text), { status: 'unavailable', failing: ['workers'] });
  while ((await admin.scrape()).value('burgee_workers') === 0);
  const another = createHttpClient(t, { port: server.port });
  t.equal((await another.send({ path: `/v1/flags/${flag}` })).status, 200, 'a new connection is served');
  t.equal((await admin.get('/ready')).status, 503, 'its own clients still wait');
  hold.end('worker');
  for (const { status, durationMs } of await Promise.all(asked)) {
    t.equal(status, 200);
    // Three seconds from its last heartbeat, which came up to a quarter of a second before their requests.
    t.ok(durationMs > 2500, `they waited: ${Math.round(durationMs)} ms`);
  }
  while ((await admin.get('/ready')).status !== 200);
  const later = await admin.scrape();
  t.equal(later.sum('burgee_evaluations_total'), 7, 'counts of the worker that left are kept');
  t.equal(later.value('burgee_workers'), 1);
  t.equal(later.value('burgee_worker_replacements_total'), 1);
  await server.stop();
});

t.test('while the writer hangs, a scrape is late by its bound at most', async (t) => {
  const { dataDir, flag } = await provisionOne(t);
  const hold = new Hold(temporaryDirectory(t));
  const { server, admin } = await bootWithAdmin(t, { dataDir, settings: hold.settings });
  const before = await admin.scrape();
  hold.begin('writer');
  await hold.isHeld('writer');
  const pages = await Promise.all([admin.get('/metrics'), admin.get('/metrics'), admin.get('/metrics')]);
  for (const { status, durationMs } of pages) {
    t.equal(status, 200);
    t.ok(durationMs < 3000, `${Math.round(durationMs)} ms`);
  }
  const during = await admin.scrape();
  const file = 'burgee_store_file_bytes';
  t.equal(during.value(file), before.value(file), 'figures of the store are the last known ones');
  const client = createHttpClient(t, { port: server.port });
  t.equal((await client.send({ path: `/v1/flags/${flag}` })).status, 200);
  t.equal((await admin.scrape()).value('burgee_evaluations_total', { kind: 'flag', reason: 'flag-off' }), 1);
  hold.end('writer');
  const answeredSoon = async (): Promise<boolean> => (await admin.get('/metrics')).durationMs < 400;
  while (!(await answeredSoon()));
  await server.stop();
});

t.test('the public port has neither readiness nor metrics', async (t) => {
  const server = await bootServer(t, { dataDir: temporaryDirectory(t) });
  const client = createHttpClient(t, { port: server.port });
  for (const path of ['/ready', '/metrics', '/admin', '/admin/metrics']) {
    t.equal((await client.send({ path })).status, 404, path);
  }
  t.notOk(
    server.lines.some((line) => line.includes('adminPort')),
    'there is no admin listener unless it is configured',
  );
  await server.stop();
});
