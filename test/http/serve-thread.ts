import { type MessagePort, parentPort, threadId, workerData } from 'node:worker_threads';
import { headerBlock } from '../../src/http/header-block.ts';
import { createWorkerServer, type WorkerServer } from '../../src/http/worker-server.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';
import { RequestMeter } from '../../src/worker/request-meter.ts';
import { requestMetrics } from '../../src/worker/request-metrics-protocol.ts';
import { openPolicy, roomForAll } from '../support/served-routes.ts';

/** A thread that serves connections: it reports its descriptor, and closes on request. */
export interface ServingThread {
  /** The number of its connections. */
  readonly connections: SharedArrayBuffer;
}

const headers = headerBlock([['Content-Type', 'text/plain']]);
const port = parentPort as MessagePort;
const connections = new Int32Array((workerData as ServingThread).connections);
const server: WorkerServer = createWorkerServer({
  routes: [
    {
      method: 'any',
      pattern: '/thread',
      countedAs: 0,
      handle: (exchange) => exchange.answer(200, headers, `thread ${threadId}`),
    },
    {
      method: 'any',
      pattern: '/throws',
      countedAs: 0,
      handle: () => {
        throw new Error('a fault');
      },
    },
    {
      method: 'any',
      pattern: '/address',
      countedAs: 0,
      handle: (exchange) => exchange.answer(200, headers, exchange.remoteAddress().join('.')),
    },
  ],
  directRoutes: [
    {
      method: 'get',
      pattern: '/direct/:segment',
      countedAs: 0,
      answer: (segment, query) => {
        const body = `${segment} ${query}`;
        return { status: 200, headers, body, bodyBytes: Buffer.byteLength(body) };
      },
      fail: () => ({ status: 500, headers, body: '', bodyBytes: 0 }),
    },
  ],
  meter: new RequestMeter(createMetricMemory(requestMetrics)).answers,
  policy: openPolicy,
  failure: { headers, body: 'failed' },
  onFault: () => undefined,
  refuseAmbiguous: (exchange) => {
    exchange.isLast = true;
    exchange.answer(400, headers, 'ambiguous');
  },
  ...roomForAll,
  onConnection: (change) => {
    Atomics.add(connections, 0, change);
    return true;
  },
});
port.on('message', () => {
  server.close();
  port.close();
});
port.postMessage(server.descriptor);
