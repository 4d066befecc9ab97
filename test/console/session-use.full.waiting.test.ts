import t, { type Test } from 'tap';
import { sessionIdleMs, sessionTouchMs } from '../../src/domain/session/session.ts';
import { bootServer } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { ConsoleClient } from './console-client.ts';
import { openEventStream } from './event-stream.ts';
import { PreparedStore } from './prepared-store.ts';

t.setTimeout(300_000);

const background = { 'x-burgee-background': '1' };

/** Sessions whose last use is so long ago that the next use is written. */
async function bootLongAgo(t: Test) {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const seenAt = Date.now() - 2 * sessionTouchMs;
  const members = [
    prepared.addMember('owner', prepared.organisation.id, seenAt),
    prepared.addMember('admin'),
  ];
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const [client, other] = members.map((id) => prepared.client(t, server.port, id));
  if (client === undefined || other === undefined) throw new Error('Two members were added');
  return { server, client, other, seenAt, projectPath: `/projects/${prepared.project.id}` };
}

let settled = 0;

/** There is one writer: once it has answered a change, all earlier messages to it are done. */
async function settle(other: ConsoleClient): Promise<void> {
  settled += 1;
  const name = `flag ${settled}`;
  const [{ id }] = (await other.send('GET', '/projects')).json.projects;
  const { status } = await other.send('POST', `/projects/${id}/flags`, { name });
  if (status !== 201) throw new Error(`A flag was not created: ${status}`);
}

/** Reads with the header of background requests, so that this is no use of the session. */
async function lastSeen(client: ConsoleClient): Promise<number> {
  const { sessions } = (await client.send('GET', '/sessions', undefined, background)).json;
  return sessions[0].lastSeenAt;
}

t.test("a page's own requests are no use of the session", async (t) => {
  const { server, client, other, seenAt, projectPath } = await bootLongAgo(t);
  for (const path of ['/session', '/projects', `${projectPath}/flags`, `${projectPath}/audit`, '/members']) {
    t.equal((await client.send('GET', path, undefined, background)).status, 200, path);
  }
  await settle(other);
  t.equal(await lastSeen(client), seenAt, 'requests with the header');

  const stream = await openEventStream(t, client, `${projectPath}/events`);
  t.match(await stream.next(), { event: 'ready' });
  await settle(other);
  t.match(await stream.next(), { event: 'changed' });
  await settle(other);
  t.equal(await lastSeen(client), seenAt, 'the stream and its events');
  stream.close();

  t.equal((await client.send('GET', `${projectPath}/flags`)).status, 200);
  await eventually(
    async () => (await lastSeen(client)) > seenAt,
    10_000,
    'a request without the header is a use',
  );
  await server.stop();
});

t.test('a change is a use of the session, with any header', async (t) => {
  const { server, client, other, seenAt, projectPath } = await bootLongAgo(t);
  const created = await client.send('POST', `${projectPath}/flags`, { name: 'another' }, background);
  t.equal(created.status, 201);
  await settle(other);
  t.ok((await lastSeen(client)) > seenAt);
  await server.stop();
});

t.test('the session of an unused page expires despite its stream', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const leftMs = 20_000;
  const member = prepared.addMember('owner', prepared.organisation.id, Date.now() - sessionIdleMs + leftMs);
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const client = prepared.client(t, server.port, member);
  const events = `/projects/${prepared.project.id}/events`;
  const stream = await openEventStream(t, client, events);
  t.match(await stream.next(), { event: 'ready' });
  t.equal((await client.send('GET', '/projects', undefined, background)).status, 200, 'the page still reads');
  t.equal(await stream.ended, true, 'within a heartbeat of the limit');
  t.equal((await client.send('GET', '/projects')).status, 401);
  await server.stop();
});
