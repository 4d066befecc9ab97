import t from 'tap';
import { PreparedStore } from '../console/prepared-store.ts';
import { auditEntryOf } from '../storage/support/records.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { createHttpClient } from '../support/http-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.test('a server drops entries past the retention time, and a page says so', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const owner = prepared.addMember('owner');
  const authorization = prepared.addToken();
  const day = 24 * 60 * 60 * 1000;
  for (const at of [1, 2, 3, Date.now() - 8 * day, Date.now() - 6 * day]) {
    prepared.add([{ kind: 'audit', entry: auditEntryOf(prepared.organisation.id, { at }) }]);
  }
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir, settings: { BURGEE_AUDIT_RETENTION_DAYS: '7' } });
  const browser = prepared.client(t, server.port, owner);
  t.match((await browser.send('GET', '/audit')).json, { entries: { length: 5 }, droppedThrough: 0 });
  const { status } = await createHttpClient(t, { port: server.port }).send({
    method: 'PATCH',
    path: `/api/v1/flags/${prepared.flag.id}`,
    headers: { authorization },
    body: '{"enabled":false}',
  });
  t.equal(status, 200);
  const page = (await browser.send('GET', '/audit')).json;
  t.match(page, { entries: { length: 2 }, droppedThrough: 4, nextCursor: null });
  t.strictSame((await browser.send('GET', '/audit?cursor=4')).json.entries, [], 'and of the dropped entries');
  await server.stop();
  await runBurgeeOrThrow(['check', '--data-dir', dataDir]);
});
