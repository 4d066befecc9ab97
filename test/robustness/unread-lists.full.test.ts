import t from 'tap';
import { bootWithAdmin } from '../admin/admin-fixture.ts';
import { unlimited } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/*
 * One tenant's clients request many long lists and read nothing of them. Other tenants' lists are answered all the same,
 * also from the same address, and the clients are cut off.
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

  const { authorization } = headersOf('unread', 'first');
  for (let count = 0; count < unread; count += 1) {
    const connection = await openRawConnection(t, server.port);
    connection.pause();
    connection.write(`GET /api/v1/flags HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
  }
  await eventually(async () => (await inFlight()) > 0, 30_000, 'the lists are under way');
  for (const path of ['/api/v1/flags', '/api/v1/flags?name=flag%207']) {
    t.same(await ask(path, headersOf('other', 'first')), { 200: asked }, `another tenant's ${path}`);
    t.same(await ask(path, headersOf('unread', 'second')), { 200: asked }, `another token's ${path}`);
  }
  await eventually(async () => (await inFlight()) === 0, 60_000, 'clients that read nothing are cut off');
  t.same(await ask('/api/v1/flags', headersOf('unread', 'first')), { 200: asked });
  await server.stop();
});
