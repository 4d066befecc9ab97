import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadEntries } from '../entry-files.ts';
import {
  type NotifierMessage,
  type NotifierRequest,
  type NotifierSetup,
  notifierMetrics,
  type OutboxAnswer,
} from '../notifier/notifier-protocol.ts';
import type { Logger } from '../observability/logger.ts';
import { addCounts, createMetricMemory, type MetricCells } from '../observability/metric-cells.ts';
import type { LogLines } from '../observability/thread-log.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { within } from '../support/within.ts';
import type { WriteOutcome, WriterClient } from '../writer/client/writer-client.ts';

export interface NotifierHostOptions {
  readonly setup: Omit<NotifierSetup, 'metrics' | 'retriesFailed'>;
  readonly writer: WriterClient;
  readonly log: Logger;
  /** Receives the log lines of the thread. */
  onLog(lines: LogLines): void;
}

const backOffMs = { first: 1000, max: 60_000 };
/** A thread that has run for this long is healthy: after its death the next one starts after the shortest pause. */
const healthyAfterMs = 60_000;
/** Timeout at shutdown for the letter that is being sent. */
const stopTimeoutMs = 3000;

/**
 * Owns the notifier's thread and passes its commands to the writer. The service does not depend on mail: a
 * thread that died is replaced after a pause.
 */
export class NotifierHost {
  readonly #options: NotifierHostOptions;
  readonly #past: MetricCells = new Float64Array(createMetricMemory(notifierMetrics));
  #cells: MetricCells = new Float64Array(createMetricMemory(notifierMetrics));
  #worker: Worker | null = null;
  #restart: NodeJS.Timeout | undefined;
  #restartMs = backOffMs.first;
  #isFirst = true;
  #isStopping = false;

  constructor(options: NotifierHostOptions) {
    this.#options = options;
  }

  start(): void {
    const metrics = createMetricMemory(notifierMetrics);
    const workerData: NotifierSetup = {
      ...this.#options.setup,
      metrics,
      retriesFailed: this.#isFirst,
    };
    this.#isFirst = false;
    this.#cells = new Float64Array(metrics);
    const worker = new Worker(threadEntries.notifier, { workerData, name: 'notifier' });
    const startedAt = monotonicMs();
    this.#worker = worker;
    worker.on('message', (message: NotifierMessage) => {
      if (message.kind === 'log') this.#options.onLog(message.lines);
      else this.#passOn(worker, message);
    });
    worker.on('error', (fault) => this.#options.log.error({ err: fault }, 'the notifier thread failed'));
    worker.once('exit', () => this.#receiveExit(monotonicMs() - startedAt));
  }

  #receiveExit(livedMs: number): void {
    this.#worker = null;
    addCounts(this.#past, this.#cells, notifierMetrics);
    this.#cells = new Float64Array(this.#cells.length);
    if (this.#isStopping) return;
    if (livedMs > healthyAfterMs) this.#restartMs = backOffMs.first;
    const restartInMs = this.#restartMs;
    this.#options.log.error({ restartInMs }, 'the notifier thread ended and is started again');
    this.#restart = setTimeout(() => this.start(), restartInMs);
    this.#restartMs = Math.min(restartInMs * 2, backOffMs.max);
  }

  /** Notifies the notifier's thread that a letter was put into the outbox. */
  look(): void {
    this.#post(this.#worker, { kind: 'look' });
  }

  #passOn(worker: Worker, { ticket, command }: Extract<NotifierMessage, { kind: 'ask' }>): void {
    this.#options.writer
      .serveOutbox(command)
      .then((outcome) => this.#post(worker, { kind: 'answer', ticket, answer: asAnswer(outcome) }))
      .catch((fault: unknown) =>
        this.#options.log.error({ err: fault }, 'a command of the notifier was not answered'),
      );
  }

  #post(worker: Worker | null, request: NotifierRequest): void {
    worker?.postMessage(request);
  }

  /** Cells of `notifierMetrics`: summed over all threads of this process, which follow one another. */
  readMetrics(): MetricCells {
    const cells = this.#cells.slice();
    addCounts(cells, this.#past, notifierMetrics);
    return cells;
  }

  /**
   * Lets the thread finish the current letter, within a timeout. The thread holds nothing that must be
   * closed.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === null) return;
    const exited = once(worker, 'exit').catch(() => undefined);
    this.#post(worker, { kind: 'stop' });
    if (!(await within(stopTimeoutMs, exited))) await worker.terminate();
  }
}

function asAnswer(outcome: WriteOutcome): OutboxAnswer {
  if (outcome.kind === 'letters') return { kind: 'letters', page: outcome.page };
  if (outcome.kind === 'taken') return { kind: 'taken' };
  // In a cluster, a stored command is enough: the next decision sees it.
  const isStored = outcome.kind === 'recorded' || outcome.kind === 'unconfirmed';
  return isStored ? { kind: 'recorded' } : { kind: 'unavailable' };
}
