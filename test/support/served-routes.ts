import type { AnswerPolicy } from '../../src/http/answer-policy.ts';
import type { ConnectionRules } from '../../src/http/connection-rules.ts';
import { createFrontServer } from '../../src/http/front-server.ts';
import { createWorkerServer, type DirectRoute, type HttpRoute } from '../../src/http/worker-server.ts';
import { createMetricMemory, type MetricCells } from '../../src/observability/metric-cells.ts';
import { plainJsonHeaders } from '../../src/operations/answer-headers.ts';
import { RequestMeter } from '../../src/worker/request-meter.ts';
import { requestMetrics } from '../../src/worker/request-metrics-protocol.ts';
import type { Lifetime } from './lifetime.ts';

/** Closes no connection, and keeps all that a slow client has not read. */
export const openPolicy: AnswerPolicy = {
  mustClose: () => false,
  unsent: { take: () => () => undefined },
};

const crowded = { headers: plainJsonHeaders, body: '{"error":"crowded"}' };
/** Refuses no connection. */
export const roomForAll: ConnectionRules = { onConnection: () => true, crowded };

export interface ServedRoutes {
  readonly port: number;
  /** Cells of `requestMetrics`. */
  readonly cells: MetricCells;
  /** Errors that handlers have thrown. */
  readonly faults: readonly unknown[];
  /** The number of connections. */
  readonly connections: () => number;
}

export interface ServedRoutesOptions {
  readonly routes: readonly HttpRoute[];
  readonly directRoutes?: readonly DirectRoute[];
  readonly policy?: AnswerPolicy;
}

/** Serves routes as a worker does, behind a front end. Both run on this thread, on a port of their own. */
export async function serveRoutes(t: Lifetime, options: ServedRoutesOptions): Promise<ServedRoutes> {
  const meter = new RequestMeter(createMetricMemory(requestMetrics));
  const faults: unknown[] = [];
  let connections = 0;
  const policy = options.policy ?? openPolicy;
  const common = { meter: meter.answers, policy, onFault: (fault: unknown) => faults.push(fault) };
  const worker = createWorkerServer({
    ...common,
    routes: options.routes,
    directRoutes: options.directRoutes ?? [],
    failure: { headers: plainJsonHeaders, body: '{"error":"failed"}' },
    refuseAmbiguous: (exchange) => {
      exchange.isLast = true;
      exchange.answer(400, plainJsonHeaders, '{"error":"ambiguous"}');
    },
    onConnection: (change) => {
      connections += change;
      return true;
    },
    crowded,
  });
  const front = createFrontServer({
    ...common,
    countedAs: 0,
    handle: (exchange) => exchange.answerClosing(503, plainJsonHeaders, ''),
    ...roomForAll,
  });
  front.add(worker.descriptor);
  const port = await front.listen('127.0.0.1', 0);
  t.teardown(() => {
    front.stopListening();
    worker.close();
    front.close();
  });
  return { port, cells: meter.cells, faults, connections: () => connections };
}
