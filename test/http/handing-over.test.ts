import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { refuseWithoutWorker } from '../../src/front/refuse-without-worker.ts';
import { createFrontServer, type FrontServer } from '../../src/http/front-server.ts';
import type { AppDescriptor } from '../../src/http/uws.ts';
import { countEvents, createMetricMemory } from '../../src/observability/metric-cells.ts';
import { RequestMeter } from '../../src/worker/request-meter.ts';
import { requestMetrics } from '../../src/worker/request-metrics-protocol.ts';
import { routeIndex } from '../../src/worker/route-names.ts';
import { eventually } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { openPolicy, roomForAll } from '../support/served-routes.ts';
import type { ServingThread } from './serve-thread.ts';

/* A front end on this thread hands connections to apps of other threads. */

interface Scene {
  readonly port: number;
  readonly front: FrontServer;
  readonly meter: RequestMeter;
  readonly logged: string[];
}

async function openFront(t: Test): Promise<Scene> {
  const meter = new RequestMeter(createMetricMemory(requestMetrics));
  const logged: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => logged.push(line) });
  const front = createFrontServer({
    meter: meter.answers,
    countedAs: routeIndex('other'),
    policy: openPolicy,
    handle: (exchange, view) => refuseWithoutWorker(exchange, view, 'http://127.0.0.1/docs', log),
    onFault: (fault) => t.fail(String(fault)),
    ...roomForAll,
  });
  t.teardown(() => {
    front.stopListening();
    front.close();
  });
  return { front, meter, logged, port: await front.listen('127.0.0.1', 0) };
}

interface Server {
  readonly descriptor: AppDescriptor;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

async function startThread(t: Test): Promise<Server> {
  const setup: ServingThread = { connections: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) };
  const thread = new Worker(new URL('./serve-thread.js', import.meta.url), { workerData: setup });
  const exited = once(thread, 'exit');
  const [descriptor] = (await once(thread, 'message')) as [AppDescriptor];
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (!isClosed) thread.postMessage('close');
    isClosed = true;
    await exited;
  };
  t.teardown(close);
  return { descriptor, close, connections: () => Atomics.load(new Int32Array(setup.connections), 0) };
}

t.test('connections go to the threads in turn, and each is answered by its thread', async (t) => {
  const { front, port, meter } = await openFront(t);
  const servers = await Promise.all([startThread(t), startThread(t), startThread(t)]);
  for (const { descriptor } of servers) front.add(descriptor);
  const clients = Array.from({ length: 12 }, () => createHttpClient(t, { port }));
  const answeredBy = await Promise.all(clients.map((client) => client.send({ path: '/thread' })));
  t.equal(new Set(answeredBy.map(({ text }) => text)).size, 3);
  t.same(
    servers.map(({ connections }) => connections()),
    [4, 4, 4],
  );
  for (const [index, client] of clients.entries()) {
    for (let again = 0; again < 3; again += 1) {
      t.equal((await client.send({ path: '/thread' })).text, answeredBy[index]?.text);
    }
  }
  t.equal(countEvents(meter.cells, requestMetrics.metrics.durations), 0, 'the front end has read no request');
});

t.test('handlers of a handed-over connection see its peer and the request', async (t) => {
  const { front, port } = await openFront(t);
  front.add((await startThread(t)).descriptor);
  const client = createHttpClient(t, { port, localAddress: '127.0.0.9' });
  t.equal((await client.send({ path: '/address' })).text, '127.0.0.9');
  t.equal((await client.send({ path: '/throws' })).status, 500);
  t.equal((await client.send({ path: '/direct/a%20b?c=d' })).text, 'a%20b c=d');
  t.equal((await client.send({ path: '/direct/a', body: 'with a body' })).text, 'a ');
  t.equal((await client.send({ path: '/direct/b?' })).text, 'b ', 'the next request is read correctly');
});

t.test('requests whose end cannot be found are refused on a direct route too', async (t) => {
  const { front, port } = await openFront(t);
  front.add((await startThread(t)).descriptor);
  const framings = [
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Content-Length: 5\r\nContent-Length: ',
    'Transfer-Encoding: \r\nContent-Length: 5',
    'Transfer-Encoding: gzip',
    'Content-Length: +5',
    'Content-Length:',
    'Content-Length:\r\nContent-Length: 5',
    'Content-Length:\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding:\r\nTransfer-Encoding: chunked',
    'X-Other: 1\r\nHost: y',
  ];
  for (const framing of framings) {
    const connection = await openRawConnection(t, port);
    const smuggled = 'GET /thread HTTP/1.1\r\nHost: x\r\n\r\n';
    connection.write(`GET /direct/a HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n12345${smuggled}`);
    await connection.closed;
    const first = await connection.response();
    if (first !== null) t.equal(first.status, 400, framing);
    t.equal(await connection.response(), null, `${framing}: nothing after it is answered`);
  }
});

t.test('a removed thread gets no more connections, and keeps those that it has', async (t) => {
  const { front, port } = await openFront(t);
  const [one, other] = [await startThread(t), await startThread(t)];
  for (const { descriptor } of [one, other]) front.add(descriptor);
  const kept = Array.from({ length: 4 }, () => createHttpClient(t, { port }));
  const before = await Promise.all(kept.map((client) => client.send({ path: '/thread' })));
  front.remove(one.descriptor);
  const later = Array.from({ length: 4 }, () => createHttpClient(t, { port }));
  for (const client of later) t.equal((await client.send({ path: '/thread' })).status, 200);
  t.same([one.connections(), other.connections()], [2, 6]);
  for (const [index, client] of kept.entries()) {
    t.equal((await client.send({ path: '/thread' })).text, before[index]?.text);
  }
  await one.close();
  const after = createHttpClient(t, { port });
  for (let request = 0; request < 20; request += 1) {
    t.equal((await after.send({ path: '/thread' })).status, 200, 'after a thread has left no request fails');
  }
});

t.test('threads come and go under load: no answer is wrong', async (t) => {
  const { front, port } = await openFront(t);
  let current = await startThread(t);
  front.add(current.descriptor);
  let isOver = false;
  let answers = 0;
  const load = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const answer = await createHttpClient(t, { port })
        .send({ path: '/thread', headers: { connection: 'close' } })
        .catch(() => null);
      if (answer === null) continue;
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      answers += 1;
    }
  });
  for (let round = 0; round < 5; round += 1) {
    const next = await startThread(t);
    front.add(next.descriptor);
    const before = answers;
    await eventually(() => answers > before + 20, 10_000, 'both serve');
    front.remove(current.descriptor);
    await eventually(() => current.connections() === 0, 10_000, 'all handed-over requests are answered');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await current.close();
    current = next;
  }
  isOver = true;
  await Promise.all(load);
  t.ok(answers > 100);
});

t.test('without a thread, requests are refused in the form of their API', async (t) => {
  const { port, meter, logged } = await openFront(t);
  const ask = async (path: string, method = 'GET', line = '') => {
    const connection = await openRawConnection(t, port);
    connection.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${line}\r\n`);
    const response = await connection.response();
    await connection.closed;
    t.equal(response?.status, 503, path);
    t.match(response?.head, /\r\nconnection: close/i, `${path} closes its connection`);
    t.match(response?.head, /\r\nretry-after: 1(\r\n|$)/i, path);
    const text = response?.body.toString() ?? '';
    return { head: response?.head ?? '', json: text === '' ? null : JSON.parse(text) };
  };
  const health = await ask('/health');
  t.same(health.json, { status: 'unavailable', failing: ['workers'] });
  t.match(health.head, /\r\naccess-control-allow-origin: \*/i);
  for (const path of ['/v1/flags/abc', '/v1', '/v1/flags/project/abc']) {
    const { head, json } = await ask(path);
    t.match(head, /\r\naccess-control-allow-origin: \*/i);
    t.match(json, { error: 'Service unavailable' }, path);
  }
  for (const path of ['/api/v1', '/api/v1/flags/abc']) {
    const { head, json } = await ask(path, 'PATCH');
    t.match(head, /\r\nx-request-id: \w{20}/i);
    t.match(head, /\r\naccess-control-allow-origin: \*/i);
    t.match(json, { error: 'Service unavailable' }, path);
  }
  const session = await ask('/console/api/session');
  t.match(session.head, /\r\nx-request-id: \w{20}/i);
  t.notMatch(session.head, /access-control/i);
  t.match(session.json, { error: 'Service unavailable' });
  const sync = await ask('/sync/v1/stream');
  t.match(sync.head, /\r\nx-request-id: \w{20}/i);
  t.notMatch(sync.head, /access-control/i);
  t.match(sync.json, { error: 'Service unavailable' });
  t.match((await ask('/docs')).json, { error: 'Service unavailable' });
  const last = await ask('/docs', 'GET', 'Connection: close\r\n');
  t.match(last.json, { error: 'Service unavailable' }, 'also to a client that ends its connection');
  t.equal(countEvents(meter.cells, requestMetrics.metrics.durations), 10, 'each refusal is counted');
  t.equal(logged.length, 10, 'and logged');
});

t.test(
  'HEAD is refused without a body, and no later request on the connection reaches a thread',
  async (t) => {
    const { port, logged } = await openFront(t);
    const connection = await openRawConnection(t, port);
    connection.write('HEAD /health HTTP/1.1\r\nHost: x\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    await connection.closed;
    // The bytes after the head: none, or, if the addon reads on, the next refusal.
    const after = (await connection.response())?.body.toString() ?? '';
    t.match(after, /^(HTTP\/1\.1 503 |$)/, 'a head with a length, and no body');
    t.equal(logged.length, after === '' ? 1 : 2);
  },
);

t.test('after a refusal the next connection reaches a thread', async (t) => {
  const { front, port } = await openFront(t);
  const client = createHttpClient(t, { port });
  t.equal((await client.send({ path: '/thread' })).status, 503);
  front.add((await startThread(t)).descriptor);
  t.equal((await client.send({ path: '/thread' })).status, 200);
});

t.test('a connection without a place is answered before its request, and closed', async (t) => {
  const changes: number[] = [];
  const front = createFrontServer({
    meter: new RequestMeter(createMetricMemory(requestMetrics)).answers,
    countedAs: 0,
    policy: openPolicy,
    handle: () => t.fail('no request was sent'),
    onFault: (fault) => t.fail(String(fault)),
    ...roomForAll,
    onConnection: (change) => {
      changes.push(change);
      return false;
    },
  });
  t.teardown(() => {
    front.stopListening();
    front.close();
  });
  const connection = await openRawConnection(t, await front.listen('127.0.0.1', 0));
  const answer = await connection.response();
  t.equal(answer?.status, 503);
  t.equal(String(answer?.body), roomForAll.crowded.body);
  t.match(answer?.head, /\r\nConnection: close/i);
  await connection.closed;
  t.same(changes, [1, -1]);
});

t.test('no other program can listen on the port', async (t) => {
  const { port } = await openFront(t);
  const second = createFrontServer({
    meter: new RequestMeter(createMetricMemory(requestMetrics)).answers,
    countedAs: 0,
    policy: openPolicy,
    handle: () => undefined,
    onFault: () => undefined,
    ...roomForAll,
  });
  t.teardown(() => second.close());
  await t.rejects(second.listen('127.0.0.1', port), { name: 'ListenError' });
});
