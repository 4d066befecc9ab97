import t from 'tap';
import { readHistogram } from '../../../bench/load/latency-histogram.ts';
import { runOpenLoop } from '../../../bench/load/open-loop.ts';
import type { BenchRequest } from '../../../bench/load/request-list.ts';
import { startLoadServer } from './load-server.ts';

const requests: readonly BenchRequest[] = [
  { path: '/a', status: 200 },
  { path: '/b', status: 200, method: 'POST', body: '{}' },
  { path: '/gone', status: 404 },
];
const load = { connections: 4, seconds: 0.4, requestsPerSecond: 500 };

t.test('an open loop keeps its rate, and its histogram has every measured request', async (t) => {
  const origin = await startLoadServer(t, (request, response) => {
    response.writeHead(request.url === '/gone' ? 404 : 200).end('x');
  });
  const result = await runOpenLoop({ ...load, list: { origin, requests } });
  const histogram = readHistogram(result.histogram);
  t.equal(result.requests, 200);
  t.equal(histogram.count, 200);
  t.ok(result.requestsPerSecond < 510, `${result.requestsPerSecond}`);
  const figures = [result.p50Us, result.p90Us, result.p99Us, result.p999Us, result.maxUs];
  t.same(
    figures,
    figures.toSorted((a, b) => a - b),
  );
  for (const [index, percentile] of [50, 90, 99, 99.9, 100].entries()) {
    const figure = figures[index] ?? 0;
    t.ok(Math.abs(histogram.percentileUs(percentile) - figure) <= 1 + figure / 500, `${percentile}`);
  }
  t.ok(result.lateP99Us >= 0);
});

t.test('a stall is charged to every request that was due meanwhile', async (t) => {
  let answered = 0;
  const stalled = new Int32Array(new SharedArrayBuffer(4));
  const origin = await startLoadServer(t, (_request, response) => {
    answered += 1;
    if (answered === 300) Atomics.wait(stalled, 0, 0, 400);
    response.end('x');
  });
  const list = { origin, requests: [{ path: '/', status: 200 }] };
  // 250 to warm up and 500 to measure. The stall hits one request in each of 4 connections; 200 are due while it lasts.
  const result = await runOpenLoop({ ...load, list, seconds: 1 });
  t.equal(result.requests, 500);
  t.ok(result.maxUs >= 390_000, `${result.maxUs}`);
  t.ok(result.p90Us >= 150_000, `${result.p90Us}`);
  const { percentileUs } = readHistogram(result.histogram);
  t.ok(percentileUs(70) >= 30_000, `${percentileUs(70)}`);
});

t.test('chunked answers that come in pieces are read to their end', async (t) => {
  const origin = await startLoadServer(t, (_request, response) => {
    response.write('x'.repeat(70_000));
    setImmediate(() => {
      response.write('y');
      setImmediate(() => response.end('z'.repeat(300_000)));
    });
  });
  const list = { origin, requests: [{ path: '/', status: 200 }] };
  const result = await runOpenLoop({ ...load, list, requestsPerSecond: 100 });
  t.equal(result.requests, 40);
});

t.test('wrong statuses fail the run, with their count and the first', async (t) => {
  let asked = 0;
  const origin = await startLoadServer(t, (_request, response) => {
    asked += 1;
    response.writeHead(asked % 10 === 0 ? 304 : 200).end();
  });
  const list = { origin, requests: [{ path: '/x', status: 200 }] };
  await t.rejects(runOpenLoop({ ...load, list }), {
    message: /of 300 requests, 30 answered 304 instead of 200 \(first: GET \/x\)/,
  });
});

t.test('a connection that closes under a request fails the run', async (t) => {
  let asked = 0;
  const origin = await startLoadServer(t, (request, response) => {
    asked += 1;
    if (asked === 7) request.socket.destroy();
    else response.end('x');
  });
  const list = { origin, requests: [{ path: '/x', status: 200 }] };
  await t.rejects(runOpenLoop({ ...load, list }), { message: /of 300 requests, 1 not answered/ });
});

t.test('a server that falls behind or omits answers fails the run', async (t) => {
  let asked = 0;
  const origin = await startLoadServer(t, (_request, response) => {
    asked += 1;
    if (asked < 20) response.end('x');
  });
  const list = { origin, requests: [{ path: '/x', status: 200 }] };
  await t.rejects(runOpenLoop({ ...load, list, connections: 2, backlogSecondsMax: 0.2 }), {
    message: /fell 0.2 s behind/,
  });
  asked = 0;
  const few = { ...load, seconds: 0.06, backlogSecondsMax: 1 };
  await t.rejects(runOpenLoop({ ...few, list, connections: 100 }), {
    message: /of 45 requests, 26 not answered/,
  });
});
