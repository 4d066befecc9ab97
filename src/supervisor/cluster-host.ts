import { once } from 'node:events';
import { hostname } from 'node:os';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { clusterMetrics } from '../cluster/client/cluster-metrics-protocol.ts';
import type {
  ClusterMessage,
  ClusterQuestions,
  ClusterSetup,
  ClusterStop,
} from '../cluster/client/cluster-protocol.ts';
import { threadEntries } from '../entry-files.ts';
import { createMetricMemory, type MetricCells, put } from '../observability/metric-cells.ts';
import type { LogLines } from '../observability/thread-log.ts';
import { LeaseCell } from '../support/lease-cell.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { PortCalls } from '../support/port-calls.ts';
import { within } from '../support/within.ts';
import { AttemptCounter } from './attempt-counter.ts';
import { ClusterNodes } from './cluster-nodes.ts';

export interface ClusterHostOptions {
  readonly setup: Omit<ClusterSetup, 'label' | 'metrics' | 'hostPort'>;
  readonly onFatal: (fault: Error) => void;
  /** Lines that the thread has logged. */
  onLog(lines: LogLines): void;
}

/** Timeout at shutdown for leaving the cluster. The lease runs out soon anyway. */
const stopTimeoutMs = 2000;

/**
 * Owns the cluster's thread. Its death ends the process, because the node can then neither change nor learn
 * anything.
 */
export class ClusterHost {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  readonly nodes: ClusterNodes;
  readonly attempts: AttemptCounter;
  /** Counts reports of usage, apart from sign-ins so that neither delays the other. */
  readonly reports: AttemptCounter;
  readonly #lease: LeaseCell;
  readonly #metrics: MetricCells;
  #isStopping = false;

  constructor({ setup, onFatal, onLog }: ClusterHostOptions) {
    const memory = createMetricMemory(clusterMetrics);
    this.#lease = new LeaseCell(setup.leaseMemory);
    this.#metrics = new Float64Array(memory);
    put(this.#metrics, clusterMetrics.metrics.lagSeconds, monotonicMs());
    const { port1, port2: hostPort } = new MessageChannel();
    const questions = new PortCalls<ClusterQuestions, Record<never, never>>(port1, {});
    this.nodes = new ClusterNodes(questions);
    this.attempts = new AttemptCounter(questions);
    this.reports = new AttemptCounter(questions);
    const workerData: ClusterSetup = { ...setup, label: hostname(), metrics: memory, hostPort };
    const transferList: MessagePort[] = [setup.replicaPort, hostPort];
    const end = (fault: Error): void => {
      if (!this.#isStopping) onFatal(fault);
    };
    this.#worker = new Worker(threadEntries.cluster, { workerData, transferList, name: 'cluster' });
    this.#exited = once(this.#worker, 'exit').catch(() => undefined);
    this.#worker.on('error', (fault) => end(fault instanceof Error ? fault : new Error(String(fault))));
    this.#worker.on('exit', () => end(new Error('the cluster thread ended')));
    this.#worker.on('message', (message: ClusterMessage) => {
      if (message.kind === 'log') onLog(message.lines);
      else end(new Error(message.message));
    });
  }

  /** Cells of `clusterMetrics`. Ages and durations are current even while the thread hangs. */
  readMetrics(): MetricCells {
    const { metrics } = clusterMetrics;
    const cells = this.#metrics.slice();
    const caughtUpAt = cells[metrics.lagSeconds.firstCell] as number;
    const remainingMs = this.#lease.remainingMs();
    put(cells, metrics.attached, remainingMs > 0 ? 1 : 0);
    put(cells, metrics.leaseRemaining, remainingMs / 1000);
    put(cells, metrics.lagSeconds, Math.max(0, monotonicMs() - caughtUpAt) / 1000);
    put(cells, metrics.loopActive, this.#worker.performance.eventLoopUtilization().active / 1000);
    return cells;
  }

  /**
   * Leaves the cluster, so that no change waits for this node. Call it after the last change and before the
   * writer ends.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const stop: ClusterStop = { kind: 'stop' };
    this.#worker.postMessage(stop);
    if (!(await within(stopTimeoutMs, this.#exited))) await this.#worker.terminate();
  }
}
