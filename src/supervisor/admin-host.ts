import type { AdminServer, Readiness } from '../admin/admin-server.ts';
import { clusterMetrics } from '../cluster/client/cluster-metrics-protocol.ts';
import { flagdMetrics } from '../flagd/flagd-protocol.ts';
import type { Front } from '../front/front.ts';
import { frontMetrics } from '../front/front-metrics-protocol.ts';
import { notifierMetrics } from '../notifier/notifier-protocol.ts';
import type { Logger } from '../observability/logger.ts';
import { createMetricMemory, type MetricCells } from '../observability/metric-cells.ts';
import { evaluationMetrics } from '../worker/evaluation/evaluation-metrics-protocol.ts';
import { requestMetrics } from '../worker/request-metrics-protocol.ts';
import { writerMetrics } from '../writer/client/writer-metrics-protocol.ts';
import type { ClusterHost } from './cluster-host.ts';
import type { FlagdHost } from './flagd-host.ts';
import type { NotifierHost } from './notifier-host.ts';
import type { WriterHost } from './writer-host.ts';

export interface AdminHostOptions {
  readonly host: string;
  /** Null if it is switched off. */
  readonly port: number | null;
  readonly log: Logger;
  readonly readiness: () => Readiness;
  readonly writer: WriterHost;
  /** Null if the service is alone. */
  readonly cluster: ClusterHost | null;
  /** Null when no mail server is configured. */
  readonly notifier: NotifierHost | null;
  /** Null when no port of flagd's sync is configured. */
  readonly flagd: FlagdHost | null;
  /** Null until the front end exists. */
  readonly front: () => Front | null;
}

/** Timeout of a scrape for the writer's values. After it the scrape shows the last ones. */
const measureTimeoutMs = 500;
const noMail: MetricCells = new Float64Array(createMetricMemory(notifierMetrics));
/** Values before the front end exists. */
const noFront: MetricCells = new Float64Array(createMetricMemory(frontMetrics));
const noRequests: MetricCells = new Float64Array(createMetricMemory(requestMetrics));
const noEvaluations: MetricCells = new Float64Array(createMetricMemory(evaluationMetrics));

/** The admin listener, on the main thread: shows for each actor whether it serves, and its metrics. */
export class AdminHost {
  readonly #options: AdminHostOptions;
  #server: AdminServer | null = null;

  constructor(options: AdminHostOptions) {
    this.#options = options;
  }

  /** Loads its parts only when the listener is configured. @throws ListenError */
  async start(): Promise<void> {
    const { host, port, log, readiness, writer, cluster, notifier, flagd, front } = this.#options;
    if (port === null) return;
    const { AdminServer } = await import('../admin/admin-server.ts');
    const { PrometheusText } = await import('../admin/prometheus-text.ts');
    const { processMetrics } = await import('../admin/process-metrics.ts');
    const metrics = new PrometheusText([
      processMetrics({ readiness, writerActiveSeconds: () => writer.activeSeconds }),
      { block: frontMetrics, read: () => front()?.readMetrics() ?? noFront },
      { block: requestMetrics, read: () => front()?.readRequestMetrics() ?? noRequests },
      { block: evaluationMetrics, read: () => front()?.readEvaluationMetrics() ?? noEvaluations },
      { block: writerMetrics, read: () => writer.readMetrics(measureTimeoutMs) },
      { block: notifierMetrics, read: () => notifier?.readMetrics() ?? noMail },
      ...(flagd === null ? [] : [{ block: flagdMetrics, read: () => flagd.readMetrics() }]),
      ...(cluster === null ? [] : [{ block: clusterMetrics, read: () => cluster.readMetrics() }]),
    ]);
    const onFault = (fault: unknown): void => log.error({ err: fault }, 'admin request failed');
    const server = new AdminServer({ host, port, readiness, metrics, onFault });
    const adminPort = await server.listen();
    this.#server = server;
    log.info({ adminHost: host, adminPort }, 'the admin listener answers /ready and /metrics');
  }

  close(): void {
    this.#server?.close();
  }
}
