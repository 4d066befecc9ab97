import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { threadEntries } from '../entry-files.ts';
import type { EvaluatorClient } from '../evaluator/evaluator-client.ts';
import { EvaluatorLink } from '../evaluator/evaluator-link.ts';
import { evaluatorMetrics } from '../evaluator/evaluator-metrics-protocol.ts';
import type { CountedEvaluations, EvaluatorSetup, Meeting } from '../evaluator/evaluator-protocol.ts';
import { createMailboxMemory } from '../evaluator/mailbox.ts';
import type { Logger } from '../observability/logger.ts';
import {
  addCells,
  addCounts,
  count,
  createMetricMemory,
  type MetricCells,
  put,
} from '../observability/metric-cells.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { within } from '../support/within.ts';
import { WatchedTime } from './watched-time.ts';

export interface EvaluatorFleetOptions {
  readonly threads: number;
  readonly inFlightMax: number;
  readonly requestDeadlineMs: number;
  readonly setup: Omit<EvaluatorSetup, 'index' | 'mailbox' | 'port' | 'metrics'>;
  readonly client: EvaluatorClient;
  readonly log: Logger;
  /** Where evaluations are counted flag by flag. */
  onCounted(counted: CountedEvaluations): void;
  /** Only a restart of the process helps. */
  readonly onFatal: (fault: Error) => void;
}

interface Running {
  readonly link: EvaluatorLink;
  readonly cells: MetricCells;
  /** When it was found stuck, in watched time; null while all is well. */
  stuckSince: number | null;
}

/** A thread of LMDB readers cannot be ended by force: one that hangs keeps its place, and a spare takes its work. */
const spareThreads = 1;
/** The first death is answered at once: what comes meanwhile waits in the new mailbox. */
const backOffMs = { first: 0, second: 50, max: 5000 };
const watchIntervalMs = 250;
/** An evaluator that makes no progress for this long, or for the deadline of requests if that is longer, is stuck. */
const stuckAfterMs = 3000;
const lastMessagesMs = 500;
/** How long the end of the service waits for evaluators that do not stop. */
const stopTimeoutMs = 2000;
/** A thread that is still being loaded hangs nowhere: on a busy machine it takes its time. */
const loadTimeoutMs = 30_000;
/** A stuck evaluator that does not come back within this is the end of the process, in order. */
const stuckMaxMs = 30_000;
/** One that has served this long is healthy: its next death is answered at once again. */
const healthyAfterMs = 10_000;
const died = 'The evaluator that had the request stopped. Retry now.';

/** Keeps the evaluators running: starts them, replaces those that die, and puts a spare in the place of a stuck one. */
export class EvaluatorFleet {
  readonly #options: EvaluatorFleetOptions;
  readonly #pool: Piscina;
  readonly #running = new Set<Running>();
  readonly #tasks = new Map<Promise<void>, Running>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  readonly #watch: NodeJS.Timeout;
  /** What evaluators counted that have ended, and what is counted here. */
  readonly #past: MetricCells = new Float64Array(createMetricMemory(evaluatorMetrics));
  readonly #watchedTime = new WatchedTime(watchIntervalMs);
  #isStopping = false;
  #started = 0;
  #backOffMs = backOffMs.first;

  constructor(options: EvaluatorFleetOptions) {
    this.#options = options;
    const threads = options.threads + spareThreads;
    this.#pool = new Piscina({
      filename: threadEntries.evaluator.href,
      name: 'serveMailbox',
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
    });
    // A thread that dies reports through the task that it ran; the pool repeats it here.
    this.#pool.on('error', (fault: unknown) => options.log.error({ err: fault }, 'evaluator thread died'));
    this.#watch = setInterval(() => this.#watchProgress(), watchIntervalMs);
  }

  /** @returns when all evaluators serve. Rejects when one cannot start. */
  async start(): Promise<void> {
    const { threads } = this.#options;
    await Promise.all(Array.from({ length: threads }, () => this.#launch()));
  }

  /** Ends when the evaluator serves; its task goes on. */
  #launch(): Promise<void> {
    const index = this.#started;
    this.#started += 1;
    const { setup, inFlightMax, requestDeadlineMs, client } = this.#options;
    const mailbox = createMailboxMemory(inFlightMax);
    const metrics = createMetricMemory(evaluatorMetrics);
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve, reject) => {
      const onReady = (): void => {
        client.add(link);
        resolve();
      };
      const { onCounted } = this.#options;
      const link = new EvaluatorLink(mailbox, port1, requestDeadlineMs, { onReady, onCounted });
      const running: Running = { link, cells: new Float64Array(metrics), stuckSince: null };
      this.#running.add(running);
      client.addStarting(link);
      const task = this.#run({ ...setup, index, mailbox, port: port2, metrics }, port2, running).catch(
        reject,
      );
      this.#tasks.set(task, running);
      task.finally(() => this.#tasks.delete(task)).catch(reject);
    });
  }

  /** @throws what the task threw before it was ready: the start has failed */
  async #run(setup: EvaluatorSetup, port: MessagePort, running: Running): Promise<void> {
    const startedAt = monotonicMs();
    let fault: unknown = null;
    try {
      await this.#pool.run(setup, { transferList: [port] });
    } catch (thrown) {
      fault = thrown;
    }
    // Its last messages may come after the end of its task.
    await within(lastMessagesMs, running.link.ended);
    const wasReady = running.link.isReady || running.stuckSince !== null;
    this.#retire(running);
    if (this.#isStopping) return;
    if (!wasReady) throw fault;
    this.#options.log.error({ err: fault, index: setup.index }, 'an evaluator ended and is replaced');
    if (monotonicMs() - startedAt > healthyAfterMs) this.#backOffMs = backOffMs.first;
    if (running.stuckSince === null) this.#replace();
  }

  #retire(running: Running): void {
    this.#running.delete(running);
    addCounts(this.#past, running.cells, evaluatorMetrics);
    this.#options.client.remove(running.link);
    if (!running.link.isFailed) running.link.fail(died);
  }

  #replace(): void {
    count(this.#past, evaluatorMetrics.metrics.replacements);
    const delay = this.#backOffMs;
    this.#backOffMs = Math.min(Math.max(delay * 2, backOffMs.second), backOffMs.max);
    if (delay === 0) {
      this.#relaunch();
      return;
    }
    const restart = setTimeout(() => {
      this.#restarts.delete(restart);
      this.#relaunch();
    }, delay);
    this.#restarts.add(restart);
  }

  /** Cells of `evaluatorMetrics`: all evaluators together, those that have ended included. */
  readMetrics(): MetricCells {
    const sum = this.#past.slice();
    const { metrics } = evaluatorMetrics;
    const { client, threads } = this.#options;
    let queueDepth = 0;
    for (const { cells, link } of this.#running) {
      addCells(sum, cells);
      if (!link.isFailed) queueDepth += link.queueDepth;
    }
    put(sum, metrics.evaluators, client.serving);
    put(sum, metrics.evaluatorsWanted, threads);
    put(sum, metrics.queueDepth, queueDepth);
    put(sum, metrics.inFlight, client.inFlight);
    return sum;
  }

  #relaunch(): void {
    this.#launch().catch((fault: unknown) => {
      this.#options.log.error({ err: fault }, 'an evaluator could not be started');
      if (!this.#isStopping) this.#replace();
    });
  }

  #watchProgress(): void {
    const now = this.#watchedTime.look();
    for (const running of this.#running) {
      if (running.stuckSince === null) this.#takeOutIfStuck(running, now);
      else if (now - running.stuckSince > stuckMaxMs) {
        this.#options.onFatal(new Error('an evaluator thread has been stuck for 30 seconds'));
      }
    }
  }

  #takeOutIfStuck(running: Running, now: number): void {
    const { client, log, requestDeadlineMs } = this.#options;
    if (!running.link.isReady || !running.link.isStuck(now, Math.max(requestDeadlineMs, stuckAfterMs)))
      return;
    running.stuckSince = now;
    log.error('an evaluator makes no progress: a spare takes its place');
    client.remove(running.link);
    running.link.fail(died);
    this.#replace();
  }

  /**
   * Tells all evaluators to stop once they have nothing to do, and waits for it.
   * @param isStartFailed threads may still be loading, and end in disorder unless they are let; otherwise what comes after
   * the last answer must fit into the drain time
   * @returns false when one did not: its thread cannot be ended by force, so the process must exit by itself
   */
  async stop(isStartFailed: boolean): Promise<boolean> {
    this.#isStopping = true;
    clearInterval(this.#watch);
    for (const restart of this.#restarts) clearTimeout(restart);
    for (const { link } of this.#running) link.stop();
    const loadMs = isStartFailed ? loadTimeoutMs : stopTimeoutMs;
    const ends = Array.from(this.#tasks, ([task, { link, stuckSince }]) => {
      const isLoading = !link.isReady && stuckSince === null;
      return within(isLoading ? loadMs : stopTimeoutMs, Promise.allSettled([task]));
    });
    if ((await Promise.all(ends)).includes(false)) return false;
    return within(loadMs, this.#endThreads());
  }

  /** Once each has loaded: where the start fails at once, they still do. */
  async #endThreads(): Promise<void> {
    const threads = this.#options.threads + spareThreads;
    const meeting: Meeting = { arrived: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT), threads };
    const meetings = Array.from({ length: threads }, () => this.#pool.run(meeting, { name: 'meet' }));
    await Promise.allSettled(meetings);
    await this.#pool.close({ force: false });
  }
}
