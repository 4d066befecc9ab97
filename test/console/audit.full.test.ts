import t from 'tap';
import { auditEntryOf } from '../storage/support/records.ts';
import { bootServer } from '../support/booted-server.ts';
import { createHttpClient } from '../support/http-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { PreparedStore } from './prepared-store.ts';

t.setTimeout(120_000);

const entriesTotal = 30_000;

t.test('a long audit log is paged, filtered and completely exported', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const owner = prepared.addMember('owner');
  const authorization = prepared.addToken();
  const ledgerId = prepared.organisation.id;
  const entries = Array.from({ length: entriesTotal }, (_, at) =>
    auditEntryOf(ledgerId, { at: at + 1, targetName: `entry ${at + 1}` }),
  );
  prepared.add(entries.map((entry) => ({ kind: 'audit', entry }) as const));
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const client = prepared.client(t, server.port, owner);

  const patched = await createHttpClient(t, { port: server.port }).send({
    method: 'PATCH',
    path: `/api/v1/flags/${prepared.flag.id}`,
    headers: { authorization },
    body: JSON.stringify({ enabled: false }),
  });
  t.equal(patched.status, 200);
  const history = await client.send('GET', `/projects/${prepared.project.id}/audit?flag=${prepared.flag.id}`);
  t.match(history.json, {
    entries: [
      {
        actor: { kind: 'token', name: 'ci' },
        action: 'flag.patch',
        targetId: prepared.flag.id,
        projectName: 'shop',
        changes: [{ field: 'enabled', before: true, after: false }],
      },
    ],
    droppedThrough: 0,
    nextCursor: null,
  });
  t.equal(history.json.entries.length, 1);

  const first = (await client.send('GET', '/audit?actor=operator')).json;
  t.strictSame([first.entries.length, first.entries[0].targetName], [100, `entry ${entriesTotal}`]);
  const second = (await client.send('GET', `/audit?actor=operator&cursor=${first.nextCursor}`)).json;
  t.equal(second.entries[0].targetName, `entry ${entriesTotal - 100}`);
  t.equal((await client.send('GET', '/audit?actor=robot:1')).status, 400);

  const exported = await client.send('GET', '/audit/export?format=ndjson');
  t.equal(exported.header('content-type'), 'application/x-ndjson');
  t.match(exported.header('content-disposition'), /^attachment; filename="audit-log-[0-9-]+\.ndjson"$/);
  const lines = exported.text.split('\n').filter((line) => line !== '');
  t.equal(lines.length, entriesTotal + 1);
  t.match(JSON.parse(lines.at(-1) ?? ''), { sequence: 1, targetName: 'entry 1', hash: /^[0-9a-f]{64}$/ });
  const csv = await client.send('GET', '/audit/export?format=csv&to=3');
  t.equal(csv.header('content-type'), 'text/csv; charset=utf-8');
  t.match(csv.text, /^sequence,id,time,.*\r\n2,.*\r\n1,.*\r\n$/);
  await server.stop();
});

t.test('the answer has the names of the audiences that changes mention', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const owner = prepared.addMember('owner');
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const client = prepared.client(t, server.port, owner);
  const origin = { origin: `http://127.0.0.1:${server.port}` };
  const project = `/projects/${prepared.project.id}`;
  const made: { id: string }[] = [];
  for (const name of ['Kept', 'Deleted']) {
    const body = { name, rules: [{ attribute: 'plan', values: [name] }] };
    made.push((await client.send('POST', `${project}/audiences`, body, origin)).json);
  }
  const [kept, deleted] = made;
  for (const [audienceId, revision] of [
    [deleted?.id, 1],
    [kept?.id, 2],
  ] as const) {
    const body = { revision, states: { 0: { audienceId } } };
    const answer = await client.send('PATCH', `${project}/flags/${prepared.flag.id}`, body, origin);
    t.equal(answer.status, 200, answer.text);
  }
  const removed = await client.send('DELETE', `${project}/audiences/${deleted?.id}`, { revision: 1 }, origin);
  t.equal(removed.status, 204, removed.text);
  for (const path of ['/audit', `${project}/audit`]) {
    t.strictSame((await client.send('GET', path)).json.audienceNames, { [kept?.id ?? '']: 'Kept' });
  }
  t.strictSame((await client.send('GET', '/audit?action=audience.create')).json.audienceNames, {});
  await server.stop();
});
