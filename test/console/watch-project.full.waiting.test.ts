import t, { type Test } from 'tap';
import { creationOf, organisationOf, projectOf } from '../storage/support/records.ts';
import { bootServer } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ConsoleClient } from './console-client.ts';
import { type EventStream, openEventStream, type ServerEvent } from './event-stream.ts';
import { PreparedStore } from './prepared-store.ts';

t.setTimeout(300_000);

const nothing = {
  ...{ flags: [], everyFlag: false, audiences: false },
  ...{ project: false, tokens: false, organisation: false },
};

/** @returns the next event, whose position is without the history of the store */
async function nextOf(stream: EventStream): Promise<ServerEvent> {
  const { event, data } = await stream.next();
  return { event, data: { ...data, position: data.position.replace(/^\w{20}-/, '') } };
}

async function bootWithProject(t: Test) {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const ids = { owner: prepared.addMember('owner'), viewer: prepared.addMember('viewer') };
  const authorization = prepared.addToken();
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const { port } = server;
  const http = createHttpClient(t, { port });
  let isOn = true;
  const changeFlag = async () => {
    isOn = !isOn;
    const path = `/api/v1/flags/${prepared.flag.id}`;
    const body = JSON.stringify({ enabled: isOn });
    const { status } = await http.send({ method: 'PATCH', path, headers: { authorization }, body });
    t.equal(status, 200);
  };
  const events = `/projects/${prepared.project.id}/events`;
  const [owner, viewer] = [prepared.client(t, port, ids.owner), prepared.client(t, port, ids.viewer)];
  return { prepared, ids, server, owner, viewer, events, changeFlag };
}

t.test("an open page gets others' changes, and its stream ends with its session", async (t) => {
  const { prepared, ids, server, owner, viewer, events, changeFlag } = await bootWithProject(t);
  const stream = await openEventStream(t, viewer, events);
  t.equal(stream.status, 200);
  t.match(stream.headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  t.strictSame(await nextOf(stream), { event: 'ready', data: { position: '0.0', ...nothing } });
  await changeFlag();
  t.strictSame(await nextOf(stream), {
    event: 'changed',
    data: { position: '1.0', ...nothing, flags: [prepared.flag.id] },
  });
  const renamed = await owner.send('PATCH', '/organisation', { revision: 1, name: 'Acme Ltd' });
  t.equal(renamed.status, 200);
  t.strictSame(await nextOf(stream), {
    event: 'changed',
    data: { position: '2.0', ...nothing, organisation: true },
  });
  const removed = await owner.send('DELETE', `/members/${ids.viewer}`);
  t.equal(removed.status, 204);
  t.equal(await stream.ended, true, 'the stream ends when the member is removed');
  const again = await openEventStream(t, viewer, events);
  t.equal(again.status, 401);
  await server.stop();
});

t.test('changes since the session was read are sent at once', async (t) => {
  const { prepared, server, viewer, events, changeFlag } = await bootWithProject(t);
  const { position } = (await viewer.send('GET', '/session')).json;
  await changeFlag();
  const stream = await openEventStream(t, viewer, `${events}?since=${position}`);
  t.strictSame(await nextOf(stream), {
    event: 'ready',
    data: { position: '1.0', ...nothing, flags: [prepared.flag.id] },
  });
  t.equal((await viewer.send('GET', `${events}?since=yesterday`)).status, 400);
  await server.stop();
});

t.test('the pages of a session are limited, and a closed one frees its place', async (t) => {
  const { server, owner, viewer, events } = await bootWithProject(t);
  const open = async (client = viewer) => await openEventStream(t, client, events);
  const streams = [await open(), await open(), await open(), await open()];
  t.strictSame(
    streams.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  t.equal((await open()).status, 503);
  t.equal((await open(owner)).status, 200, 'a page of another session');
  streams[0]?.close();
  const hasPlace = async (): Promise<boolean> => (await open()).status === 200;
  await eventually(hasPlace, 10_000, 'the place of a closed page is free');
  await server.stop();
});

t.test('the pages of a member and of an organisation are limited, and leave places for others', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const other = organisationOf({ name: 'Other' });
  const shop = projectOf(other.id);
  prepared.add([creationOf('organisation', other), creationOf('project', shop)]);
  const greedy = Array.from({ length: 5 }, () => prepared.addMember('viewer'));
  const sessions = greedy.map((id) => Array.from({ length: 6 }, () => prepared.addSession(id)));
  const [late, stranger] = [prepared.addMember('viewer'), prepared.addMember('viewer', other.id)];
  await prepared.write(dataDir);
  const { port, stop } = await bootServer(t, { dataDir, settings: { BURGEE_CONSOLE_RATE_LIMIT: '100000' } });
  const watch = async (client: ConsoleClient, projectId = prepared.project.id) =>
    (await openEventStream(t, client, `/projects/${projectId}/events`)).status;
  for (const [first = '', ...others] of sessions) {
    const clients = [first, ...others].map((secret) => {
      const client = new ConsoleClient(t, { port });
      client.cookies.set('burgee_session', secret);
      return client;
    });
    const [last] = clients.splice(5);
    for (const client of clients) {
      const opened = await Promise.all([0, 1, 2, 3].map(() => watch(client)));
      t.strictSame(opened, [200, 200, 200, 200]);
    }
    if (last !== undefined)
      t.equal(await watch(last), 503, 'the 21st page of a member, in a further session');
  }
  t.equal(await watch(prepared.client(t, port, late)), 503, 'the 101st page of an organisation');
  t.equal(
    await watch(prepared.client(t, port, stranger), shop.id),
    200,
    'the first page of another organisation',
  );
  await stop();
});

t.test('a quiet stream sends heartbeats, and ends when the service stops', async (t) => {
  const { server, viewer, events } = await bootWithProject(t);
  const stream = await openEventStream(t, viewer, events);
  t.match(await stream.next(), { event: 'ready' });
  t.match(await stream.next(), { event: ':' }, 'a comment, some 15 seconds later');
  await server.stop();
  t.equal(await stream.ended, true);
});
