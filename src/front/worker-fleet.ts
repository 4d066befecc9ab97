import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { threadEntries } from '../entry-files.ts';
import type { FrontServer } from '../http/front-server.ts';
import type { Logger } from '../observability/logger.ts';
import { addCells, addCounts, createMetricMemory, type MetricCells } from '../observability/metric-cells.ts';
import { assert } from '../support/assert.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { WatchedTime } from '../support/watched-time.ts';
import { within } from '../support/within.ts';
import { evaluationMetrics } from '../worker/evaluation/evaluation-metrics-protocol.ts';
import type { ConnectionCount } from '../worker/limits/connection-count.ts';
import { requestMetrics } from '../worker/request-metrics-protocol.ts';
import {
  type HostMessage,
  type Meeting,
  stateCells,
  type WorkerSettings,
  type WorkerSetup,
} from '../worker/worker-protocol.ts';
import type { WriterLinks } from '../writer/client/writer-client.ts';
import type { HostDesk } from './host-desk.ts';
import { Rebalancing } from './rebalancing.ts';
import { WorkerLink, type WorkerNews } from './worker-link.ts';

interface WorkerWatchOptions {
  readonly requestDeadlineMs: number;
  /** The worker is stuck since `stuckSince`: start a spare in its place. */
  onStuck(link: WorkerLink): void;
  /** Called at the end of each check. @param now in watched milliseconds */
  onLook(now: number): void;
  /** Called when only a restart of the process helps. */
  readonly onFatal: (fault: Error) => void;
}

const watchIntervalMs = 250;
/** A worker is stuck when its event loop has made no pass for this long, or for the deadline of requests if that is longer. */
const stuckAfterMs = 3000;
/**
 * A stuck worker that does not come back within this time, or a replacement that does not serve, ends the process in
 * order.
 */
const stuckMaxMs = 30_000;

/** Finds workers that hang. No thread can be ended by force, so a worker that runs again is asked to leave. */
class WorkerWatch {
  readonly #links: ReadonlySet<WorkerLink>;
  readonly #options: WorkerWatchOptions;
  readonly #stuckAfterMs: number;
  readonly #time = new WatchedTime(watchIntervalMs);
  readonly #timer: NodeJS.Timeout;
  #now = 0;

  /** @param links workers that have been started and have not ended */
  constructor(links: ReadonlySet<WorkerLink>, options: WorkerWatchOptions) {
    this.#links = links;
    this.#options = options;
    this.#stuckAfterMs = Math.max(options.requestDeadlineMs, stuckAfterMs);
    this.#timer = setInterval(() => this.#look(), watchIntervalMs);
  }

  /** Time of the last check, in watched milliseconds. */
  get now(): number {
    return this.#now;
  }

  #look(): void {
    this.#now = this.#time.look();
    for (const link of this.#links) {
      if (link.isReady) this.#lookAt(link);
      else this.#lookAtStarting(link);
    }
    this.#options.onLook(this.#now);
  }

  #lookAt(link: WorkerLink): void {
    const isStuck = link.isStuck(this.#now, this.#stuckAfterMs);
    if (link.stuckSince === null) {
      if (!isStuck) return;
      link.stuckSince = this.#now;
      this.#options.onStuck(link);
    } else if (!isStuck) {
      if (!link.isLeaving) link.send({ kind: 'leave', reason: 'it hung for a while' });
    } else if (this.#now - link.stuckSince > stuckMaxMs) {
      this.#options.onFatal(new Error('a worker thread has been stuck for 30 seconds'));
    }
  }

  /** A start that hangs is left to the process manager's timeout. A replacement has no other timeout. */
  #lookAtStarting({ replacesSince }: WorkerLink): void {
    if (replacesSince === null || this.#now - replacesSince <= stuckMaxMs) return;
    this.#options.onFatal(
      new Error('a worker thread that replaces another one has not become ready for 30 seconds'),
    );
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Threads in addition to those that serve: a stuck worker keeps its thread, and a leaving worker has its own for a moment. */
const spareThreads = 1;
const mebibyte = 2 ** 20;
/** Memory in addition to the compiled flags, which a setting bounds. */
const heapForTheRest = 512 * mebibyte;
/**
 * Three semi-spaces of 1 MiB. A minor collection copies the live objects of one of them while the worker answers
 * no request: with V8's default of 16 MiB that takes several milliseconds when a long list is live.
 */
const youngGenerationBytes = 3 * mebibyte;

/** The threads of the pool. Each runs one worker after another, until a worker's fault ends the thread. */
class WorkerThreads {
  readonly #pool: Piscina;
  readonly #count: number;

  /** @param serving workers that serve at once. @param cacheBytes of each, for compiled flags */
  constructor(serving: number, cacheBytes: number, log: Logger) {
    this.#count = serving + spareThreads;
    this.#pool = new Piscina({
      filename: threadEntries.worker.href,
      name: 'serveConnections',
      minThreads: this.#count,
      maxThreads: this.#count,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      resourceLimits: {
        maxOldGenerationSizeMb: Math.ceil((cacheBytes * 2 + heapForTheRest) / mebibyte),
        maxYoungGenerationSizeMb: youngGenerationBytes / mebibyte,
      },
    });
    // A thread that dies reports the fault through its task; the pool repeats it here.
    this.#pool.on('error', (fault: unknown) => log.error({ err: fault }, 'worker thread died'));
  }

  /** @returns when the worker has ended. Rejects with what it threw, or with the fault that ended its thread */
  async serve(setup: WorkerSetup): Promise<void> {
    await this.#pool.run(setup, { transferList: [setup.port, setup.writer.port] });
  }

  /** Ends all threads, each after it has loaded: when the start fails at once, they are still loading. */
  async end(): Promise<void> {
    const meeting: Meeting = {
      arrived: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
      threads: this.#count,
    };
    const meetings = Array.from({ length: this.#count }, () => this.#pool.run(meeting, { name: 'meet' }));
    await Promise.allSettled(meetings);
    await this.#pool.close({ force: false });
  }
}

export interface WorkerFleetOptions {
  readonly threads: number;
  readonly requestDeadlineMs: number;
  readonly settings: WorkerSettings;
  readonly server: FrontServer;
  readonly writerLinks: WriterLinks;
  readonly desk: HostDesk;
  readonly connections: ConnectionCount;
  readonly log: Logger;
  onMessage(message: WorkerNews): void;
  /** Called when only a restart of the process helps. */
  readonly onFatal: (fault: Error) => void;
}

/** After a first death the replacement starts at once. */
const backOffMs = { first: 0, second: 50, max: 5000 };
const lastMessagesMs = 500;
/** Workers in addition to those that serve: stuck ones, and those that leave. */
const spareWorkersMax = 8;
/** A stopping service waits for this long for workers that do not end. */
const stopTimeoutMs = 2000;
/** A worker that is still loading is not stuck: on a busy machine loading is slow. */
const loadTimeoutMs = 30_000;
/** A worker that has served for this long is healthy: after its death the replacement starts at once again. */
const healthyAfterMs = 10_000;
/** A worker that can wait waits for this long until the worker that leaves before it is replaced. */
const turnTimeoutMs = 2000;

/** Keeps the workers running: starts them, replaces those that leave, and starts a spare for one that is stuck. */
export class WorkerFleet {
  readonly #options: WorkerFleetOptions;
  readonly #threads: WorkerThreads;
  readonly #links = new Set<WorkerLink>();
  readonly #tasks = new Map<Promise<void>, WorkerLink>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  readonly #watch: WorkerWatch;
  readonly #rebalancing: Rebalancing;
  /** The counts of workers that have ended. */
  readonly #pastRequests: MetricCells = new Float64Array(createMetricMemory(requestMetrics));
  readonly #pastEvaluations: MetricCells = new Float64Array(createMetricMemory(evaluationMetrics));
  #lastLeaving: Promise<unknown> = Promise.resolve();
  /** Called when a worker serves. */
  readonly #onServing: (() => void)[] = [];
  #isStarted = false;
  #isStopping = false;
  #isDraining = false;
  #started = 0;
  #backOffMs = backOffMs.first;
  replacements = 0;

  constructor(options: WorkerFleetOptions) {
    const { threads, settings, log, requestDeadlineMs, onFatal } = options;
    this.#options = options;
    this.#rebalancing = new Rebalancing(options.server);
    this.#threads = new WorkerThreads(threads, settings.cacheBytes, log);
    this.#watch = new WorkerWatch(this.#links, {
      requestDeadlineMs,
      onStuck: (link) => this.#takeOutStuck(link),
      onLook: (now) => {
        if (!this.#isDraining) this.#rebalancing.look(this.#inRotation, now);
      },
      onFatal,
    });
  }

  /** @returns when all workers serve. Rejects when one cannot start. */
  async start(): Promise<void> {
    const { threads } = this.#options;
    await Promise.all(Array.from({ length: threads }, () => this.#launch(null)));
    this.#isStarted = true;
  }

  /** Workers that take connections. */
  get serving(): number {
    return this.#inRotation.length;
  }

  /** Whether any worker is stuck: its clients wait. */
  get isAnyStuck(): boolean {
    return [...this.#links].some(({ stuckSince }) => stuckSince !== null);
  }

  get #inRotation(): readonly WorkerLink[] {
    return [...this.#links].filter(({ descriptor }) => descriptor !== null);
  }

  /** Connections of each worker. */
  get connections(): readonly number[] {
    return Array.from(this.#links, (link) => link.connections);
  }

  /**
   * Resolves when the worker serves; its task goes on.
   * @param replacesSince see `WorkerLink`
   */
  #launch(replacesSince: number | null): Promise<void> {
    if (this.#links.size >= this.#options.threads + spareWorkersMax) {
      return Promise.reject(new Error('too many workers have not ended yet'));
    }
    const index = this.#started;
    this.#started += 1;
    const memory = {
      state: new SharedArrayBuffer(stateCells * Int32Array.BYTES_PER_ELEMENT),
      requestMetrics: createMetricMemory(requestMetrics),
      evaluationMetrics: createMetricMemory(evaluationMetrics),
    };
    const { port1, port2 } = new MessageChannel();
    const { settings, server, desk, writerLinks, onMessage } = this.#options;
    const writer = writerLinks.open();
    return new Promise((resolve, reject) => {
      const link: WorkerLink = new WorkerLink(memory, port1, desk, {
        onReady: (descriptor) => {
          if (this.#isStopping) return;
          if (this.#isDraining) link.send({ kind: 'drain' });
          assert(this.#links.has(link), 'a worker that is ready has not ended');
          link.descriptor = descriptor;
          server.add(descriptor);
          if (this.#isStarted) this.#rebalancing.begin(this.#watch.now);
          for (const resume of this.#onServing.splice(0)) resume();
          resolve();
        },
        onLeaving: (reason, mayWait) => this.#letLeave(link, reason, mayWait),
        onMessage,
      });
      link.replacesSince = replacesSince;
      this.#links.add(link);
      const task = this.#run({ ...settings, ...memory, index, port: port2, writer }, link).catch(reject);
      this.#tasks.set(task, link);
      task.finally(() => this.#tasks.delete(task)).catch(reject);
    });
  }

  /** @throws what the task threw before the worker was ready: the start has failed */
  async #run(setup: WorkerSetup, link: WorkerLink): Promise<void> {
    const startedAt = monotonicMs();
    let fault: unknown = null;
    try {
      await this.#threads.serve(setup);
    } catch (thrown) {
      fault = thrown;
    }
    // The worker's last messages may arrive after its task has ended.
    await within(lastMessagesMs, link.ended);
    const isReplaced = link.isLeaving || link.stuckSince !== null;
    this.#retire(link, setup);
    if (this.#isStopping) return;
    if (!link.isReady) throw fault;
    const told = { index: setup.index, ...(link.isLeaving ? {} : { err: fault }) };
    if (link.isLeaving) this.#options.log.info(told, 'a worker has ended');
    else this.#options.log.error(told, 'a worker ended without leaving, and is replaced');
    if (monotonicMs() - startedAt > healthyAfterMs) this.#backOffMs = backOffMs.first;
    if (!isReplaced) this.#replace().catch(this.#options.onFatal);
  }

  /** The worker's thread has ended: adds its counts to those of ended workers, and gives back what it held. */
  #retire(link: WorkerLink, { writer }: Pick<WorkerSetup, 'writer'>): void {
    this.#takeOut(link);
    const wasHeld = this.#links.delete(link);
    assert(wasHeld, 'a worker ends once');
    addCounts(this.#pastRequests, link.requestCells, requestMetrics);
    addCounts(this.#pastEvaluations, link.evaluationCells, evaluationMetrics);
    this.#options.connections.forget(link.connections);
    this.#options.writerLinks.forget(writer);
    link.close();
  }

  /** From now on the front end hands it no more connections. */
  #takeOut(link: WorkerLink): void {
    const others = this.#inRotation.filter((other) => other !== link);
    this.#rebalancing.takeOut(link, others);
  }

  /**
   * Lets workers leave one after the other: a worker that can wait leaves when the one before is replaced. The last one
   * that serves keeps getting connections until another one serves, because they would be refused otherwise.
   */
  async #letLeave(link: WorkerLink, reason: string, mayWait: boolean): Promise<void> {
    assert(!link.isLeaving, 'a worker leaves once');
    const before = this.#lastLeaving;
    let isReplaced: () => void = () => undefined;
    this.#lastLeaving = new Promise<void>((resolve) => {
      isReplaced = resolve;
    });
    if (mayWait) await within(turnTimeoutMs, before);
    link.isLeaving = true;
    if (!this.#isStopping) {
      this.#options.log.error({ reason }, 'a worker leaves and is replaced');
      if (link.stuckSince === null) this.#replace().then(isReplaced, isReplaced);
      else isReplaced();
    }
    if (link.descriptor !== null && !this.#isStopping) await within(turnTimeoutMs, this.#anotherServes(link));
    this.#takeOut(link);
  }

  #anotherServes(link: WorkerLink): Promise<void> {
    if (this.#inRotation.some((other) => other !== link && !other.isLeaving)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onServing.push(resolve);
    });
  }

  /** @returns when the replacement serves, or could not be started */
  #replace(): Promise<void> {
    this.replacements += 1;
    const delay = this.#backOffMs;
    this.#backOffMs = Math.min(Math.max(delay * 2, backOffMs.second), backOffMs.max);
    if (delay === 0) return this.#relaunch();
    return new Promise((resolve) => {
      const restart = setTimeout(() => {
        this.#restarts.delete(restart);
        this.#relaunch().then(resolve, resolve);
      }, delay);
      this.#restarts.add(restart);
    });
  }

  async #relaunch(): Promise<void> {
    try {
      await this.#launch(this.#watch.now);
    } catch (fault) {
      this.#options.log.error({ err: fault }, 'a worker could not be started');
      if (!this.#isStopping) this.#replace().catch(this.#options.onFatal);
    }
  }

  /** Cells of `requestMetrics`, summed over all workers, ended ones too. Each worker has some thousand cells. */
  readRequests(): MetricCells {
    const sum = this.#pastRequests.slice();
    for (const { requestCells } of this.#links) addCells(sum, requestCells);
    return sum;
  }

  /** Cells of `evaluationMetrics`, summed likewise. */
  readEvaluations(): MetricCells {
    const sum = this.#pastEvaluations.slice();
    for (const { evaluationCells } of this.#links) addCells(sum, evaluationCells);
    return sum;
  }

  #takeOutStuck(link: WorkerLink): void {
    this.#options.log.error('a worker makes no progress: a spare takes its place');
    this.#takeOut(link);
    if (!link.isLeaving && !this.#isStopping) this.#replace().catch(this.#options.onFatal);
  }

  /** From now on each answer closes its connection, and streams end. */
  drain(): void {
    this.#isDraining = true;
    this.tell({ kind: 'drain' });
  }

  /** Sends a message to all workers. */
  tell(message: HostMessage): void {
    for (const link of this.#links) link.send(message);
  }

  /**
   * Makes all workers close their remaining connections, and waits for them. No connection may be handed over any more.
   * @param isStartFailed threads may still be loading, and crash if they are ended now, so they get more time;
   * otherwise everything after the last answer must fit into the drain time
   * @returns false when a worker did not end: its thread cannot be ended by force, so the process must exit by itself
   */
  async stop(isStartFailed: boolean): Promise<boolean> {
    this.#isStopping = true;
    for (const resume of this.#onServing.splice(0)) resume();
    this.#watch.close();
    for (const restart of this.#restarts) clearTimeout(restart);
    for (const link of this.#links) this.#takeOut(link);
    this.tell({ kind: 'stop' });
    const loadMs = isStartFailed ? loadTimeoutMs : stopTimeoutMs;
    const ends = Array.from(this.#tasks, ([task, { isReady, stuckSince }]) => {
      const isLoading = !isReady && stuckSince === null;
      return within(isLoading ? loadMs : stopTimeoutMs, Promise.allSettled([task]));
    });
    if ((await Promise.all(ends)).includes(false)) return false;
    return within(loadMs, this.#threads.end());
  }
}
