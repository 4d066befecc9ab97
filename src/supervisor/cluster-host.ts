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
import type { NodeList } from '../contracts/console/node-views.ts';
import { threadEntries } from '../entry-files.ts';
import { createMetricMemory, type MetricCells, put } from '../observability/metric-cells.ts';
import type { LogLines } from '../observability/thread-log.ts';
import type { AttemptsPort, CountedAttempts } from '../operations/cluster/attempts-port.ts';
import type { NodesPort } from '../operations/cluster/nodes-port.ts';
import { LeaseCell } from '../support/lease-cell.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { PortCalls } from '../support/port-calls.ts';
import { within } from '../support/within.ts';

/** Time for which an answer is cached, for any number of pages. */
const keptMs = 2000;

/** Requests the nodes from the cluster's thread, one call at a time. */
class ClusterNodes implements NodesPort {
  readonly #questions: PortCalls<ClusterQuestions, Record<never, never>>;
  #last: { readonly list: NodeList | null; readonly at: number } | null = null;
  #asked: Promise<void> | null = null;

  constructor(questions: PortCalls<ClusterQuestions, Record<never, never>>) {
    this.#questions = questions;
  }

  async list(): Promise<NodeList | null> {
    const last = this.#last;
    if (last !== null && monotonicMs() - last.at < keptMs) return last.list;
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = null;
    });
    return (await within(answerTimeoutMs, this.#asked)) ? (this.#last?.list ?? null) : null;
  }

  async #ask(): Promise<void> {
    // The thread may end meanwhile.
    const list = await this.#questions.ask('listNodes', null).catch(() => null);
    this.#last = { list, at: monotonicMs() };
  }
}

/** The most counts in flight of this process: enough for all waiting password checks, and some sign-ins by OpenID. */
const atOnce = 64;
/** Timeout of an answer. After it a count is only this node's, and a page has no list of nodes. */
const answerTimeoutMs = 4000;

/** Asks the cluster's thread to count attempts, at most `atOnce` at a time. */
class AttemptCounter implements AttemptsPort {
  readonly #questions: PortCalls<ClusterQuestions, Record<never, never>>;
  #underWay = 0;

  constructor(questions: PortCalls<ClusterQuestions, Record<never, never>>) {
    this.#questions = questions;
  }

  async count(keys: readonly string[], windowMs: number): Promise<readonly CountedAttempts[] | null> {
    if (this.#underWay >= atOnce) return null;
    const asked = this.#hold(this.#questions.ask('countAttempts', { keys, windowMs }));
    return (await within(answerTimeoutMs, asked)) ? await asked : null;
  }

  async giveBack(keys: readonly string[]): Promise<null> {
    if (this.#underWay >= 2 * atOnce) return null;
    await this.#hold(this.#questions.ask('giveBackAttempts', keys));
    return null;
  }

  /** The thread may end meanwhile. */
  async #hold<T>(asked: Promise<T>): Promise<T | null> {
    this.#underWay += 1;
    try {
      return await asked.catch(() => null);
    } finally {
      this.#underWay -= 1;
    }
  }
}

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
