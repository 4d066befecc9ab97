import type { IncomingMessage, ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { endOf } from '../../src/sdk/connection/connection-end.ts';
import { createRandom } from '../support/random.ts';
import { randomConfiguration } from './wire/random-configuration.ts';
import { expectSameAnswers, quickTimings, startClient, until, untilStatus } from './wire/wire-client.ts';
import { eventText, WireServer } from './wire/wire-server.ts';

/*
 * One bad day after another, each with a server that speaks the wire format over real sockets. Timings are those of a
 * program, fifty times as fast.
 */
t.setTimeout(180_000);

async function begin(t: Test, seed = 1) {
  const random = createRandom(seed);
  const server = await new WireServer(randomConfiguration(random, 60)).start(t);
  return { random, server };
}

t.test('changes are followed, by deltas alone', async (t) => {
  const { random, server } = await begin(t);
  const client = await startClient(t, server);
  t.equal(client.status, 'ready');
  await expectSameAnswers(t, client, server);
  for (let step = 0; step < 20; step += 1) server.change(random);
  await expectSameAnswers(t, client, server, 2);
  t.same(
    server.requests.map(({ kind }) => kind),
    ['stream'],
  );
});

t.test(
  'a service that cannot be reached at the start is one warning, which says what to check',
  async (t) => {
    const warnings: string[] = [];
    const hear = (warning: Error) => warnings.push(`${warning.name} ${warning.message}`);
    process.on('warning', hear);
    t.teardown(() => process.off('warning', hear));
    const { server } = await begin(t);
    const faults = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:1`));
    const { why } = endOf(new AggregateError(faults, ''), { shown: 'localhost' });
    t.match(why, /reached: connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127/);
    server.fault = () => true;
    const wrong = {
      [server.url]: /^BurgeeWarning burgee-client: Nothing has come from Burgee for/,
      'http://127.0.0.1:1': /cannot be reached: connect ECONNREFUSED 127[.]0[.]0[.]1:1/,
      'http://flags.example.invalid': /cannot be reached: getaddrinfo/,
    };
    for (const [url, expected] of Object.entries(wrong)) {
      const client = await startClient(t, server, { url, startTimeoutMs: 500 });
      await until(client, () => warnings.length > 0);
      // Long enough for some further attempts.
      await new Promise((resolve) => setTimeout(resolve, 500));
      t.equal(warnings.length, 1, url);
      t.match(warnings[0], expected);
      t.match(warnings.pop(), `Check that ${url}/ is the address of Burgee`);
      await client.close();
    }
    server.fault = null;
    const client = await startClient(t, server);
    await server.kill();
    await untilStatus(client, 'stale');
    t.same(warnings, [], 'a client that was connected shows it by its status');
  },
);

t.test('a server that is killed and started again is resumed where it was', async (t) => {
  const { random, server } = await begin(t);
  const client = await startClient(t, server);
  const before = server.version;
  await server.kill();
  await untilStatus(client, 'stale');
  t.equal(client.version, before, 'the last configuration is kept');
  server.change(random, 3);
  await server.start();
  await expectSameAnswers(t, client, server);
  t.equal(server.requests.at(-1)?.lastEventId, before);
});

t.test('a restore to an older state is a snapshot of another history', async (t) => {
  const { random, server } = await begin(t);
  server.change(random, 5);
  const client = await startClient(t, server);
  await server.kill();
  server.restore('h2', random);
  await server.start();
  await expectSameAnswers(t, client, server);
  t.equal(client.version, 'h2.2');
});

t.test('answers stay while the server is away for long', async (t) => {
  const { server } = await begin(t);
  const client = await startClient(t, server);
  const asked = [...server.configuration.flags.keys()];
  const answers = () => asked.map((id) => client.isOn(id, { targetingKey: 'u', cohort: 'staff' }, false));
  const before = answers();
  await server.kill();
  await untilStatus(client, 'stale');
  await new Promise((resolve) => setTimeout(resolve, 2000));
  t.same(answers(), before);
  await server.start();
  await expectSameAnswers(t, client, server);
});

t.test('a proxy that buffers the stream: the configuration comes without one', async (t) => {
  const { random, server } = await begin(t);
  server.fault = (_request, response, kind) => {
    // Status and headers arrive, events never do.
    if (kind === 'stream') response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    return kind === 'stream';
  };
  const client = await startClient(t, server);
  t.equal(client.version, server.version, 'at the start, within its time');
  t.not(client.status, 'ready', 'without a stream it is not said to be current');
  server.change(random);
  await until(client, () => client.version === server.version);
  server.fault = null;
  await expectSameAnswers(t, client, server);
});

t.test('a proxy that holds even the headers back', async (t) => {
  const { server } = await begin(t);
  server.fault = (_request, _response, kind) => kind === 'stream';
  const client = await startClient(t, server);
  t.equal(client.version, server.version);
  server.fault = null;
  await expectSameAnswers(t, client, server);
});

t.test('a connection that is lost without a word is given up', async (t) => {
  const { random, server } = await begin(t);
  const client = await startClient(t, server);
  server.beatMs = null;
  server.cutStreams();
  await untilStatus(client, 'stale');
  await until(client, () => server.openStreams === 1 && client.status === 'ready');
  // From now on nothing more arrives, as after a router forgot the connection.
  await untilStatus(client, 'stale');
  t.match(client.why, /Nothing has come/);
  server.beatMs = 50;
  server.change(random);
  await expectSameAnswers(t, client, server);
});

t.test('an event that is cut in the middle is not applied, and comes again', async (t) => {
  const { random, server } = await begin(t);
  const client = await startClient(t, server);
  const before = client.version;
  const text = eventText('delta', 'h1.2', {
    version: 'h1.2',
    flags: [],
    removed: [...server.configuration.flags.keys()],
  });
  server.sendRaw(text.slice(0, text.length - 1));
  server.cutStreams();
  await untilStatus(client, 'stale');
  t.equal(client.version, before);
  server.change(random);
  await expectSameAnswers(t, client, server);
  t.equal(server.requests.at(-1)?.lastEventId, before, 'it goes on where it was');
});

for (const [what, text] of [
  ['no JSON', 'event: delta\ndata: {"version"\n\n'],
  ['another shape', eventText('delta', 'h1.2', { version: 'h1.2', flags: {} })],
  [
    'an older version',
    eventText('delta', 'h1.0', {
      version: 'h1.0',
      flags: [],
      removed: [],
      audiences: [],
      removedAudiences: [],
    }),
  ],
  [
    'a flag without its audience',
    eventText('delta', 'h1.9', {
      version: 'h1.9',
      flags: [
        {
          id: 'a'.repeat(20),
          name: 'x',
          revision: 1,
          enabled: true,
          trafficPercentage: 5,
          cohorts: [],
          audienceId: 'gone',
        },
      ],
      removed: [],
      audiences: [],
      removedAudiences: [],
    }),
  ],
  [
    'a snapshot of another project',
    eventText('snapshot', 'h1.9', {
      version: 'h1.9',
      projectId: 'other',
      environment: null,
      flags: [],
      audiences: [],
    }),
  ],
] as const) {
  t.test(`an event that cannot be applied, ${what}: everything is asked for again`, async (t) => {
    const { random, server } = await begin(t);
    server.change(random, 2);
    const client = await startClient(t, server);
    server.sendRaw(text);
    await untilStatus(client, 'stale');
    t.equal(client.version, server.version, 'the last configuration is kept');
    server.change(random);
    await expectSameAnswers(t, client, server);
    t.equal(server.requests.at(-1)?.lastEventId, null);
  });
}

const answers: readonly [string, (request: IncomingMessage, response: ServerResponse) => void][] = [
  [
    '502',
    (_request, response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  ],
  [
    'a page in HTML',
    (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
  ],
  ['an empty answer of no type', (_request, response) => response.writeHead(200).end()],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { location: 'https://elsewhere.example' }).end(),
  ],
  [
    'a stream that ends at once',
    (_request, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  ],
  [
    'a stream of something else',
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('<html>\n\n\0\uFFFF'),
  ],
];
for (const [what, fault] of answers) {
  t.test(`a proxy answers ${what}`, async (t) => {
    const { random, server } = await begin(t);
    const client = await startClient(t, server);
    server.fault = (request, response) => {
      fault(request, response);
      return true;
    };
    server.cutStreams();
    await until(client, () => client.status !== 'ready');
    const seen = server.requests.length;
    await until(client, () => server.requests.length >= seen + 3);
    t.not(client.status, 'ready');
    t.equal(client.version, server.version, 'the last configuration is kept');
    server.fault = null;
    server.change(random);
    await expectSameAnswers(t, client, server);
  });
}

t.test('a token that is revoked is an error that is tried again later; the answers stay', async (t) => {
  const { random, server } = await begin(t);
  const client = await startClient(t, server);
  const { version } = client;
  server.token = 'another';
  server.change(random);
  server.cutStreams();
  await untilStatus(client, 'error');
  t.match(client.why, /401: the token is not valid/);
  t.notMatch(client.why, /secret-token/);
  const asked = server.requests.length;
  t.ok(version !== null && client.version !== null, 'the configuration is kept');
  server.token = 'secret-token';
  await expectSameAnswers(t, client, server);
  t.equal(server.requests.length, asked + 1, 'it was tried again once, when its time had come');
});

t.test('a wrong token at the start ends the waiting, and is said', async (t) => {
  const { server } = await begin(t);
  const startedAt = performance.now();
  const client = await startClient(t, server, { token: 'wrong', startTimeoutMs: 60_000 });
  t.ok(performance.now() - startedAt < 30_000);
  t.equal(client.status, 'error');
  t.equal(client.isOn('flag 1', {}, true), true, 'the fallback');
  t.equal(client.explain('flag 1', {}, true).reason, 'not-ready');
});

t.test('a service that is full is asked again after its Retry-After', async (t) => {
  const { server } = await begin(t);
  server.fault = (_request, response) => {
    response.writeHead(503, { 'retry-after': '1' }).end();
    return true;
  };
  const starting = startClient(t, server, { startTimeoutMs: 50 });
  const client = await starting;
  const firstAt = server.requests[0]?.at ?? 0;
  server.fault = null;
  await expectSameAnswers(t, client, server);
  t.ok((server.requests[1]?.at ?? 0) - firstAt >= 1000, 'not before');
});

t.test('a goodbye is obeyed', async (t) => {
  const { random, server } = await begin(t);
  const client = await startClient(t, server);
  const at = performance.now();
  server.goodbye(300);
  await untilStatus(client, 'stale');
  server.change(random);
  await expectSameAnswers(t, client, server);
  const waited = (server.requests[1]?.at ?? 0) - at;
  t.ok(waited >= 300 + quickTimings.backoffMinMs, 'not before, and a random time beside');
});

t.test('a server that comes and goes is not asked more and more often', async (t) => {
  const { server } = await begin(t);
  const client = await startClient(t, server);
  server.fault = (_request, response) => {
    response.socket?.destroy();
    return true;
  };
  server.cutStreams();
  await untilStatus(client, 'stale');
  await until(client, () => server.requests.length >= 12);
  const gaps = server.requests.slice(2).map(({ at }, index) => at - (server.requests[index + 1]?.at ?? 0));
  t.ok(
    gaps.every((gap) => gap >= 19),
    'never at once',
  );
  t.ok(Math.max(...gaps) <= 700, 'and never later than the bound');
  server.fault = null;
  await expectSameAnswers(t, client, server);
});

t.test('an event loop that stands still, and a clock that jumps', async (t) => {
  const { random, server } = await begin(t);
  const client = await startClient(t, server);
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  Date.now = () => now() + 10 * 365 * 24 * 3600 * 1000;
  server.change(random);
  await expectSameAnswers(t, client, server);
  Date.now = () => now() - 10 * 365 * 24 * 3600 * 1000;
  const end = performance.now() + 1500;
  while (performance.now() < end);
  server.change(random);
  await expectSameAnswers(t, client, server, 2);
});

t.test('polling follows changes, and comes back by itself', async (t) => {
  const { random, server } = await begin(t);
  const client = await startClient(t, server, { mode: 'poll' });
  await expectSameAnswers(t, client, server);
  server.change(random);
  await expectSameAnswers(t, client, server, 2);
  await server.kill();
  await untilStatus(client, 'stale');
  server.change(random);
  await server.start();
  await expectSameAnswers(t, client, server, 3);
  t.ok(server.requests.every(({ kind }) => kind !== 'stream'));
});

t.test('a poll that is not answered in its time makes the client stale before it is given up', async (t) => {
  const { random, server } = await begin(t);
  const timings = { watchdogMs: 300, answerMs: 60_000 };
  const client = await startClient(t, server, { mode: 'poll' }, timings);
  let held: ServerResponse | undefined;
  server.fault = (_request, response) => {
    held = response;
    return true;
  };
  await untilStatus(client, 'stale');
  t.match(client.why, /No poll has been answered for 0[.]3 seconds/);
  server.fault = null;
  held?.destroy();
  server.change(random);
  await expectSameAnswers(t, client, server);
});

t.test('once asks until it has an answer, and then never again', async (t) => {
  const { server } = await begin(t);
  server.fault = (_request, response) => {
    response.writeHead(502).end();
    return true;
  };
  const client = await startClient(t, server, { mode: 'once', startTimeoutMs: 20 });
  t.equal(client.status, 'error');
  server.fault = null;
  await expectSameAnswers(t, client, server);
  const asked = server.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 400));
  t.equal(server.requests.filter(({ kind }) => kind !== 'usage').length, asked);
});

t.test('in another process the stream begins anew', async (t) => {
  const { random, server } = await begin(t);
  const client = await startClient(t, server);
  // As after a start from a snapshot of a process's memory.
  const { pid } = process;
  t.teardown(() => Object.defineProperty(process, 'pid', { value: pid }));
  Object.defineProperty(process, 'pid', { value: pid + 1, configurable: true });
  await until(client, () => server.requests.length === 2);
  server.change(random);
  await expectSameAnswers(t, client, server);
});

t.test('an error is told with what its body says, however that arrives', async (t) => {
  const { server } = await begin(t);
  const client = await startClient(t, server);
  const bodies: readonly (readonly [type: string, body: string, told: string])[] = [
    ['application/json', '{"detail":"Not this\\none."}', ' It says: Not this one.'],
    ['application/json; charset=utf-8', '{"detail":"Cut', ''],
    ['application/json', '{"detail":7}', ''],
    ['application/json', 'null', ''],
    ['application/json', JSON.stringify({ detail: 'x'.repeat(20_000) }), ''],
    ['application/json', JSON.stringify({ detail: 'y'.repeat(600) }), ` It says: ${'y'.repeat(500)}`],
    ['text/html', '{"detail":"Of a proxy."}', ''],
  ];
  for (const [index, [type, body, told]] of bodies.entries()) {
    const status = 503 + index;
    server.fault = (_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
      return true;
    };
    server.cutStreams();
    await until(client, () => client.why.includes(`status ${status}.`));
    t.ok(client.why.endsWith(`with status ${status}.${told}`), client.why);
  }
  server.fault = (_request, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.write('{"detail":"This never ends');
    return true;
  };
  await untilStatus(client, 'error');
  t.match(client.why, /answered 403: the token may not read this environment[.] .*[.]$/);
});
