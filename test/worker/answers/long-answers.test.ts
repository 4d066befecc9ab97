import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Exchange } from '../../../src/http/exchange.ts';
import { headerBlock } from '../../../src/http/header-block.ts';
import type { HttpRoute } from '../../../src/http/worker-server.ts';
import { CutAnswer } from '../../../src/support/text-pieces.ts';
import { type LongAnswer, LongAnswers } from '../../../src/worker/answers/long-answers.ts';
import { Pool, type Quota } from '../../../src/worker/limits/quota.ts';
import { eventually } from '../../support/expectations.ts';
import { createHttpClient } from '../../support/http-client.ts';
import { openRawConnection } from '../../support/raw-request.ts';
import { serveRoutes } from '../../support/served-routes.ts';

const headers = headerBlock([['Content-Type', 'text/plain']]);
const line = `${'x'.repeat(1023)}\n`;

/** The events of one answer, in order. */
type Event =
  | 'begin'
  | 'whole'
  | 'refused'
  | 'failed'
  | 'failed after it began'
  | 'released'
  | 'over'
  | 'gone';

interface Scene {
  readonly port: number;
  readonly longAnswers: LongAnswers;
  /** The events of each request, by path. */
  readonly events: (path: string) => Event[];
  /** Sizes of chunks in bytes, by path. */
  readonly written: (path: string) => number;
  readonly room: Quota;
  readonly faults: unknown[];
}

interface SceneOptions {
  /** The pieces of each answer, by path. */
  readonly pieces: Readonly<Record<string, () => Iterable<string | Uint8Array>>>;
  readonly roomMax?: number;
  readonly deadlineMs?: number;
}

async function openScene(
  t: Test,
  { pieces, roomMax = 100, deadlineMs = 5000 }: SceneOptions,
): Promise<Scene> {
  const room = new Pool(2 * roomMax, 1).quotaOf(null);
  const longAnswers = new LongAnswers({
    take: () => (room.take(1) ? () => room.give(1) : null),
    deadlineMs,
    onStep: () => undefined,
    onRefused: () => undefined,
  });
  t.teardown(() => longAnswers.close());
  const byPath = new Map<string, Event[]>();
  const events = (path: string): Event[] => {
    const known = byPath.get(path) ?? [];
    byPath.set(path, known);
    return known;
  };
  const faults: unknown[] = [];
  const bytesByPath = new Map<string, number>();
  const written = (path: string): number => bytesByPath.get(path) ?? 0;
  const handle: HttpRoute['handle'] = (exchange, request) => {
    const path = request.path();
    const seen = events(path);
    exchange.onAborted(() => seen.push('gone'));
    const write = exchange.write.bind(exchange);
    exchange.write = (bytes) => {
      bytesByPath.set(path, written(path) + bytes.length);
      return write(bytes);
    };
    longAnswers.send(answerOf(exchange, (pieces[path] ?? (() => []))(), seen, faults));
  };
  const { port } = await serveRoutes(t, {
    routes: [{ method: 'any', pattern: '/*', countedAs: 0, handle }],
  });
  return { port, longAnswers, events, written, room, faults };
}

function answerOf(
  exchange: Exchange,
  pieces: Iterable<string | Uint8Array>,
  seen: Event[],
  faults: unknown[],
): LongAnswer {
  return {
    exchange,
    status: 200,
    pieces,
    heldBytes: () => 0,
    isPinned: false,
    client: () => null,
    release: () => seen.push('released'),
    headers: () => headers,
    answerWhole: (bytes) => {
      seen.push('whole');
      exchange.answer(200, headers, bytes);
    },
    refuse: (detail) => {
      seen.push('refused');
      exchange.answer(503, headers, detail);
    },
    fail: (fault, hasBegun) => {
      seen.push(hasBegun ? 'failed after it began' : 'failed');
      faults.push(fault);
      if (!hasBegun) exchange.answer(500, headers, 'failed');
    },
    onBegin: () => seen.push('begin'),
    onOver: () => seen.push('over'),
  };
}

function* lines(count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) yield line;
}

/** Sends a request on a connection of its own, and reads only the head. @returns a function that reads the body */
async function askSlowly(port: number, path: string): Promise<() => Promise<Buffer>> {
  const sent = get({ host: '127.0.0.1', port, path, agent: false });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return () => buffer(response);
}

const request = (path: string, method = 'GET'): string => `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

t.test('an answer of up to one chunk is sent at once, with its length', async (t) => {
  const pieces = {
    '/none': () => [],
    '/short': () => ['[', Buffer.from('1,2'), ']'],
    '/chunk': () => lines(64),
  };
  const { port, events, room } = await openScene(t, { pieces });
  const client = createHttpClient(t, { port });
  for (const [path, text] of [
    ['/none', ''],
    ['/short', '[1,2]'],
    ['/chunk', line.repeat(64)],
  ] as const) {
    const answer = await client.send({ path });
    t.equal(answer.text, text);
    t.equal(answer.headers.get('content-length'), String(text.length));
    t.same(events(path), ['released', 'whole'], 'its snapshot is released before the answer');
  }
  t.equal(room.used, 0);
});

t.test('a longer answer comes in chunks, byte for byte', async (t) => {
  const counts = [65, 128, 1000, 5000];
  const pieces = Object.fromEntries(counts.map((count) => [`/${count}`, () => lines(count)]));
  const { port, events, room } = await openScene(t, { pieces });
  const client = createHttpClient(t, { port });
  for (const count of counts) {
    const answer = await client.send({ path: `/${count}` });
    t.equal(answer.headers.get('transfer-encoding'), 'chunked');
    t.equal(answer.headers.get('content-length'), undefined);
    t.ok(answer.text === line.repeat(count), `${count} KiB`);
    t.same(events(`/${count}`), ['begin', 'released', 'over']);
  }
  t.equal(room.used, 0);
});

t.test('pieces of any size come out in order', async (t) => {
  const sizes = [1, 65_535, 65_536, 65_537, 0, 200_000, 3];
  const texts = sizes.map((size, index) => String.fromCharCode(97 + index).repeat(size));
  const isText = (index: number): boolean => index % 2 === 0;
  const pieces = { '/': () => texts.map((text, index) => (isText(index) ? text : Buffer.from(text))) };
  const { port } = await openScene(t, { pieces });
  const answer = await createHttpClient(t, { port }).send({ path: '/' });
  t.ok(answer.text === texts.join(''));
});

t.test('HEAD gets the same head and no body, and its connection stays', async (t) => {
  const { port, events, room } = await openScene(t, {
    pieces: { '/short': () => ['12345'], '/long': () => lines(500) },
  });
  const connection = await openRawConnection(t, port);
  connection.write(request('/short', 'HEAD') + request('/long', 'HEAD'));
  await eventually(() => events('/long').includes('over'), 5000, 'the long answer has ended');
  t.same(events('/short'), ['released', 'whole']);
  t.same(events('/long').toSorted(), ['begin', 'over', 'released'], 'its body is not made');
  t.equal(room.used, 0);
  t.notOk(connection.isClosed());
});

t.test('a client that reads slowly gets all of it, and it is made no faster than it reads', async (t) => {
  let made = 0;
  function* counted(): Generator<string> {
    for (const piece of lines(64 * 1024)) {
      made += 1;
      yield piece;
    }
  }
  const { port, events, room } = await openScene(t, { pieces: { '/': counted } });
  const readAll = await askSlowly(port, '/');
  let before = -1;
  while (made !== before) {
    before = made;
    await setTimeout(200);
  }
  t.ok(made < 32 * 1024, `${made} KiB were made for sockets that take less`);
  t.equal(room.used, 1);
  t.same(events('/'), ['begin'], 'and its snapshot is kept');
  t.ok((await readAll()).equals(Buffer.from(line.repeat(64 * 1024))));
  await eventually(() => events('/').includes('over'), 5000, 'the answer has ended');
  t.same(events('/'), ['begin', 'released', 'over']);
  t.equal(room.used, 0);
});

t.test('a piece of many chunks is also written no faster than its client reads', async (t) => {
  const piece = line.repeat(32 * 1024);
  const { port, written } = await openScene(t, { pieces: { '/large': () => [piece] } });
  const read = await askSlowly(port, '/large');
  let before = -1;
  await eventually(
    async () => {
      const isStill = written('/large') === before;
      before = written('/large');
      await setTimeout(50);
      return isStill;
    },
    5000,
    'writing continues',
  );
  t.ok(before < piece.length / 2, `${before} bytes are written without a reader`);
  t.equal((await read()).length, piece.length);
});

t.test('when a client goes away, everything is released', async (t) => {
  let isClosed = false;
  function* endless(): Generator<string> {
    try {
      for (;;) yield line;
    } finally {
      isClosed = true;
    }
  }
  const { port, events, room, longAnswers } = await openScene(t, { pieces: { '/': endless } });
  const client = await openRawConnection(t, port);
  client.pause();
  client.write(request('/'));
  await eventually(() => events('/').includes('begin'), 5000, 'it has begun');
  client.destroy();
  await eventually(() => longAnswers.count === 0, 5000, 'nothing is left');
  t.same(events('/'), ['begin', 'gone', 'released', 'over']);
  t.ok(isClosed, 'the generator of the pieces has ended too');
  t.equal(room.used, 0);
});

t.test('a fault before the first chunk is answered, a later one cuts the connection', async (t) => {
  function* faulty(count: number): Generator<string> {
    yield* lines(count);
    throw new Error('a fault');
  }
  const { port, events, room, faults } = await openScene(t, {
    pieces: { '/early': () => faulty(1), '/late': () => faulty(500) },
  });
  const client = createHttpClient(t, { port });
  const early = await client.send({ path: '/early' });
  t.same([early.status, early.text], [500, 'failed']);
  t.same(events('/early'), ['released', 'failed']);
  await t.rejects(client.send({ path: '/late' }), 'an incomplete answer does not look complete');
  t.same(events('/late'), ['begin', 'released', 'over', 'failed after it began', 'gone']);
  t.match(faults, [{ message: 'a fault' }, { message: 'a fault' }]);
  t.equal(room.used, 0);
  t.equal((await client.send({ path: '/none' })).status, 200);
});

t.test(
  'an answer that is cut ends before its connection, and is not counted as a client that left',
  async (t) => {
    function* cut(count: number): Generator<string> {
      yield* lines(count);
      throw new CutAnswer('the project changed');
    }
    const { port, events, room, faults } = await openScene(t, {
      pieces: { '/early': () => cut(1), '/late': () => cut(500) },
    });
    const client = createHttpClient(t, { port });
    const early = await client.send({ path: '/early' });
    t.same([early.status, early.text], [503, 'The answer was not completed: the project changed.']);
    await t.rejects(client.send({ path: '/late' }));
    t.same(events('/late'), ['begin', 'released', 'over', 'gone']);
    t.same(faults, []);
    t.equal(room.used, 0);
  },
);

t.test('without a free place answers are refused, and those under way continue', async (t) => {
  const { port, events, room } = await openScene(t, {
    pieces: {
      '/first': () => lines(20_000),
      '/second': () => lines(20_000),
      '/third': () => lines(200),
      '/short': () => ['short'],
    },
    roomMax: 2,
  });
  const held = await Promise.all(['/first', '/second'].map((path) => askSlowly(port, path)));
  t.equal(room.used, 2);
  const client = createHttpClient(t, { port });
  const refused = await client.send({ path: '/third' });
  t.equal(refused.status, 503);
  t.match(refused.text, /Too many long lists/);
  t.same(events('/third'), ['released', 'refused']);
  t.equal(
    (await client.send({ path: '/short' })).text,
    'short',
    'an answer that is made at once needs no place',
  );
  for (const readAll of held) t.equal((await readAll()).length, 20_000 * line.length);
  await eventually(() => room.used === 0, 5000, 'the place is free');
  t.equal((await client.send({ path: '/third' })).text.length, 200 * line.length);
});

t.test('answers that are made side by side advance together', async (t) => {
  const made = { '/one': 0, '/other': 0 };
  let farthest = 0;
  function* counted(path: keyof typeof made): Generator<string> {
    for (let piece = 0; piece < 4000; piece += 1) {
      made[path] += 1;
      const isBoth = made['/one'] > 0 && made['/other'] > 0 && made['/one'] < 4000 && made['/other'] < 4000;
      if (isBoth) farthest = Math.max(farthest, Math.abs(made['/one'] - made['/other']));
      const until = performance.now() + 0.02;
      while (performance.now() < until);
      yield line;
    }
  }
  const { port } = await openScene(t, {
    pieces: { '/one': () => counted('/one'), '/other': () => counted('/other') },
  });
  const client = createHttpClient(t, { port, connectionsMax: 2 });
  const answers = await Promise.all([client.send({ path: '/one' }), client.send({ path: '/other' })]);
  for (const { text } of answers) t.equal(text.length, 4000 * line.length);
  t.ok(farthest < 2000, `one was ${farthest} pieces ahead of the other`);
});

t.test('a worker that ends cuts answers that have begun and refuses the others', async (t) => {
  function* waiting(): Generator<Uint8Array> {
    for (;;) yield new Uint8Array(0);
  }
  const { port, events, longAnswers, room } = await openScene(t, {
    pieces: { '/begun': () => lines(20_000), '/waiting': waiting },
  });
  const begun = await openRawConnection(t, port);
  begun.pause();
  begun.write(request('/begun'));
  const waits = await openRawConnection(t, port);
  waits.write(request('/waiting'));
  await eventually(() => room.used === 2 && events('/begun').length > 0, 5000, 'both requests have arrived');
  longAnswers.close();
  t.equal(room.used, 0);
  t.match(await waits.response(), { status: 503 });
  begun.resume();
  await begun.closed;
  t.same(events('/begun'), ['begin', 'released', 'over', 'gone']);
});

t.test('an answer not begun at its deadline is refused, and a begun one continues', async (t) => {
  function* waiting(): Generator<Uint8Array> {
    for (;;) yield new Uint8Array(0);
  }
  const { port, events, room } = await openScene(t, {
    pieces: { '/begun': () => lines(20_000), '/waiting': waiting },
    deadlineMs: 200,
  });
  const readAll = await askSlowly(port, '/begun');
  const startedAt = performance.now();
  const refused = await createHttpClient(t, { port }).send({ path: '/waiting' });
  t.equal(refused.status, 503);
  t.match(refused.text, /waited longer than the request deadline/);
  t.ok(performance.now() - startedAt >= 200, 'not before its deadline');
  t.same(events('/waiting'), ['released', 'refused']);
  t.equal((await readAll()).length, 20_000 * line.length);
  await eventually(() => room.used === 0, 5000, 'the place is free');
});

t.test('answers of one holder are made in the order of arrival', async (t) => {
  const arrived: string[] = [];
  const made: string[] = [];
  function* busy(path: string): Generator<string> {
    const until = performance.now() + 0.4;
    while (performance.now() < until);
    made.push(path);
    yield path;
  }
  const arriving = (path: string) => () => {
    arrived.push(path);
    return busy(path);
  };
  const paths = Array.from({ length: 40 }, (_, index) => `/${index}`);
  const { port } = await openScene(t, {
    pieces: Object.fromEntries(paths.map((path) => [path, arriving(path)])),
  });
  const client = createHttpClient(t, { port, connectionsMax: paths.length });
  await Promise.all(paths.map((path) => client.send({ path })));
  t.equal(made.length, paths.length);
  t.same(made, arrived);
});
