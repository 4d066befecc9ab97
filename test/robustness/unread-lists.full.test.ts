import t from 'tap';
import { bootWithAdmin } from '../admin/admin-fixture.ts';
import { unlimited } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/*
 * One tenant's clients request more long lists than there are places, and read nothing of them. Other tenants' lists
 * are answered all the same, also from the same address.
 */
t.setTimeout(120_000);
const flagCount = 300;
const cohortBytes = 20_000;
const unread = 80;
const asked = 8;

t.test('clients that do not read their lists take no places from other tenants', async (t) => {
  const dataDir = temporaryDirectory(t);
  const cohorts = Array.from({ length: 80 }, (_, index) => `${index}`.padStart(cohortBytes / 80, 'c'));
  const flags = Array.from({ length: flagCount }, (_, index) => ({ name: `flag ${index}`, cohorts }));
  const tokens = ['first', 'second'].map((name) => ({ name, permission: 'read' }));
  const projects = [
    { name: 'unread', flags, tokens },
    { name: 'other', flags: flags.slice(0, 10), tokens },
  ];
  const document = { organisations: [{ name: 'Harbour', plan: 'enterprise', projects }] };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const { server, admin } = await bootWithAdmin(t, {
    dataDir,
    settings: { ...unlimited, BURGEE_WORKERS: '2' },
  });
  const headersOf = (project: string, token: string) =>
    bearer(tokenOf(projectOf(provisioned, project), token).secret);
  const client = createHttpClient(t, { port: server.port });
  const ask = async (path: string, headers: Record<string, string>): Promise<Record<number, number>> => {
    const statuses: Record<number, number> = {};
    for (let count = 0; count < asked; count += 1) {
      const { status } = await client.send({ path, headers });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    return statuses;
  };
  const inFlight = async (): Promise<number> => (await admin.scrape()).value('burgee_long_answers_in_flight');

  for (const [token, placesMax] of [
    ['first', 43],
    ['second', 64],
  ] as const) {
    const { authorization } = headersOf('unread', token);
    for (let count = 0; count < unread; count += 1) {
      const connection = await openRawConnection(t, server.port);
      connection.pause();
      connection.write(`GET /api/v1/flags HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
    }
    await eventually(async () => (await inFlight()) >= placesMax - 1, 30_000, 'the lists are under way');
    for (const path of ['/api/v1/flags', '/api/v1/flags?name=flag%207']) {
      const statuses = await ask(path, headersOf('other', 'first'));
      t.same(statuses, { 200: asked }, `another tenant's ${path}`);
    }
    const unreadNow = await inFlight();
    t.ok(unreadNow <= placesMax, `unread lists hold ${unreadNow} of 128 places`);
  }
  const headers = headersOf('unread', 'second');
  const isAnswered = async () => (await client.send({ path: '/api/v1/flags', headers })).status === 200;
  // Lists count as unread only once they are made as far as their sockets take them.
  await eventually(
    isAnswered,
    60_000,
    'a client that reads gets the place of an unread list of the same holder',
  );
  t.same(await ask('/api/v1/flags', headers), { 200: asked }, 'repeatedly');
  await server.stop();
});
