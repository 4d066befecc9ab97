import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { headerBlock } from '../../../src/http/header-block.ts';
import type { HttpRoute } from '../../../src/http/worker-server.ts';
import { LongAnswers } from '../../../src/worker/answers/long-answers.ts';
import { giveMade } from '../../../src/worker/answers/made-answer.ts';
import { createPlaceMemory, keptForPlaces, usedPlaces } from '../../../src/worker/limits/place-memory.ts';
import { longAnswerRoom } from '../../../src/worker/limits/process-budgets.ts';
import { eventually } from '../../support/expectations.ts';
import { createHttpClient } from '../../support/http-client.ts';
import { openRawConnection } from '../../support/raw-request.ts';
import { serveRoutes } from '../../support/served-routes.ts';

/*
 * Bodies that were made whole and are longer than a chunk: until its client has read it, each takes a place and memory
 * of the token's share.
 */

const headers = headerBlock([['Content-Type', 'text/plain']]);
/** Longer than the system's socket buffers hold for a client that reads nothing. */
const body = 'é'.repeat(8 * 1024 * 1024);
const bytes = Buffer.byteLength(body);
const places = 8;
/** Longer than a client may read nothing and keep its place. */
const unreadMs = 1200;

type Path = `/${'read' | 'change'}/${string}`;

function createMemories() {
  return { longAnswers: createPlaceMemory(places), pinnedSnapshots: createPlaceMemory(1) };
}

/** @param place of the worker in the pool whose places are in the memories */
async function openScene(t: Test, memories = createMemories(), place = 0) {
  const room = longAnswerRoom({ limits: { places: memories }, place });
  const counts = { displaced: 0, refused: [] as string[], over: 0 };
  const longAnswers = new LongAnswers({
    room,
    deadlineMs: 5000,
    onStep: () => undefined,
    onRefused: (share) => counts.refused.push(share),
    onDisplaced: () => {
      counts.displaced += 1;
    },
  });
  t.teardown(() => longAnswers.close());
  const handle: HttpRoute['handle'] = (exchange, request) => {
    const [, kind, organisation = '', token = '', address = null] = request.path().split('/');
    giveMade(
      {
        exchange,
        status: 200,
        body,
        isDecided: kind === 'change',
        holder: () => ({ asker: token, project: token, organisation, address }),
        headers: () => headers,
        answer: (whole) => exchange.answer(200, headers, whole),
        refuse: (detail) => exchange.answer(503, headers, detail),
        onOver: () => {
          counts.over += 1;
        },
        onFault: (fault) => t.fail(String(fault)),
      },
      longAnswers,
    );
  };
  const { port } = await serveRoutes(t, {
    routes: [{ method: 'any', pattern: '/*', countedAs: 0, handle }],
  });
  const client = createHttpClient(t, { port });
  const held = () => [usedPlaces(memories.longAnswers), keptForPlaces(memories.longAnswers)];
  const leaveUnread = async (path: Path) => {
    const connection = await openRawConnection(t, port);
    connection.pause();
    connection.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return connection;
  };
  return { port, client, held, counts, leaveUnread };
}

t.test('it comes whole, and then nothing of it is kept', async (t) => {
  const { client, held } = await openScene(t);
  for (const path of ['/read/o/t', '/change/o/t']) {
    const answer = await client.send({ path });
    t.ok(answer.text === body);
    t.equal(answer.headers.get('transfer-encoding'), 'chunked');
  }
  const head = await client.send({ method: 'HEAD', path: '/read/o/t' });
  t.equal(head.headers.get('content-length'), String(bytes), 'HEAD gets its length');
  await eventually(() => held()[0] === 0, 5000, 'its place is free');
  t.same(held(), [0, 0]);
});

t.test('unread answers take a share of places: of their token, and of their organisation', async (t) => {
  const { client, held, counts, leaveUnread } = await openScene(t);
  // A third of 8 places, for any number of requests.
  for (let count = 0; count < 3; count += 1) await leaveUnread('/read/many/t1');
  await eventually(() => held()[0] === 3, 5000, 'the answers are under way');
  t.equal(held()[1], 3 * bytes, 'their memory is counted');
  const refused = await client.send({ path: '/read/many/t1' });
  t.equal(refused.status, 503);
  t.same(counts.refused, ['asker']);
  for (const token of ['t2', 't3']) await leaveUnread(`/read/many/${token}`);
  await eventually(() => held()[0] === 5, 5000, 'other tokens of the organisation get places');
  const sixth = await client.send({ path: '/read/many/t4' });
  t.equal(sixth.status, 503);
  t.same(counts.refused, ['asker', 'organisation']);
  t.ok((await client.send({ path: '/read/another/t5' })).text === body, 'another organisation has one');
  t.equal(counts.displaced, 0);
});

t.test('an unread answer loses its place to one of the same holder, and to no other', async (t) => {
  const { client, held, counts, leaveUnread } = await openScene(t);
  const unread = await leaveUnread('/read/o/t');
  // It is the one that is not read for longest, which loses its place first.
  await eventually(() => held()[0] === 1, 5000, 'the first answer is under way');
  for (let count = 0; count < 2; count += 1) await leaveUnread('/read/o/t');
  await eventually(() => held()[0] === 3, 5000, 'the answers are under way');
  const isRead = async () => (await client.send({ path: '/read/o/t' })).text === body;
  await eventually(isRead, 10_000, 'once they are unread for a second');
  t.equal(counts.displaced, 1, 'one answer is cut for one new answer');
  unread.resume();
  await unread.closed;
  t.ok(await isRead(), 'and the next answer gets its place');
  t.equal(counts.displaced, 1);
});

t.test('an unread answer loses its place to one of the same holder on another worker', async (t) => {
  const memories = createMemories();
  const [here, elsewhere] = await Promise.all([openScene(t, memories, 0), openScene(t, memories, 1)]);
  for (let count = 0; count < 3; count += 1) await elsewhere.leaveUnread('/read/o/t');
  await eventually(() => here.held()[0] === 3, 5000, 'the answers are under way');
  await elsewhere.leaveUnread('/read/another/t');
  const isRead = async () => (await here.client.send({ path: '/read/o/t' })).text === body;
  await eventually(isRead, 10_000, 'once they are unread for a second, and their worker has looked at them');
  t.equal(here.counts.displaced, 0);
  t.ok(
    elsewhere.counts.displaced >= 1 && elsewhere.counts.displaced <= 3,
    `${elsewhere.counts.displaced} answers`,
  );
  t.equal(elsewhere.counts.over, elsewhere.counts.displaced, 'nothing else of that worker is cut');
  t.ok(await isRead(), 'and the next answer gets its place');
});

t.test('no answer is cut if its place would not suffice', async (t) => {
  const { client, held, counts, leaveUnread } = await openScene(t);
  for (let count = 0; count < 3; count += 1) await leaveUnread('/read/o/t/there');
  for (const one of ['1', '2', '3', '4']) await leaveUnread(`/read/o${one}/t${one}/here`);
  await eventually(() => held()[0] === 7, 5000, 'the answers are under way');
  await setTimeout(unreadMs);
  t.equal((await client.send({ path: '/read/o/t/here' })).status, 503);
  t.same(
    [counts.refused, counts.displaced, counts.over],
    [['asker'], 0, 0],
    'there would still be too few places',
  );
});

t.test(
  'a change is answered without a place as far as its client reads at once; then the answer is cut',
  async (t) => {
    const { client, held, counts, leaveUnread } = await openScene(t);
    for (let count = 0; count < 3; count += 1) await leaveUnread('/read/o/t');
    await eventually(() => held()[0] === 3, 5000, 'the share is used up');
    const unread = await leaveUnread('/change/o/t');
    unread.resume();
    await unread.closed;
    t.match(unread.head().head, /^HTTP\/1\.1 200 OK/, 'the client is never told that the change was refused');
    t.same(counts.refused, ['asker']);
    t.equal((await client.send({ path: '/change/o/another' })).status, 200);
  },
);
