import { setTimeout } from 'node:timers/promises';
import { createFrontServer, type FrontServer } from '../http/front-server.ts';
import { watchEventLoop } from '../observability/event-loop.ts';
import type { Metric } from '../observability/metric.ts';
import {
  addCells,
  countEvents,
  createMetricMemory,
  type MetricCells,
} from '../observability/metric-cells.ts';
import { receiveLines } from '../observability/thread-log.ts';
import type { StreamCensus } from '../streams/stream-census.ts';
import { Lookout } from '../support/lookout.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { tooManyConnectionsAnswer } from '../worker/answers/evaluation-refusal.ts';
import type { CountedEvaluations } from '../worker/evaluation/evaluation-tallies.ts';
import { ConnectionRoom } from '../worker/limits/connection-room.ts';
import { RequestMeter } from '../worker/request-meter.ts';
import { requestMetrics } from '../worker/request-metrics-protocol.ts';
import { routeIndex } from '../worker/route-names.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { frontMetrics } from './front-metrics-protocol.ts';
import { type FrontParts, workerSettings } from './front-parts.ts';
import { HostDesk } from './host-desk.ts';
import { hashesAtOnce } from './password-queue.ts';
import { PasswordThreads } from './password-threads.ts';
import { readFrontMetrics } from './read-front-metrics.ts';
import { refuseWithoutWorker } from './refuse-without-worker.ts';
import { SessionTouches } from './session-touches.ts';
import { createSharedLimits } from './shared-limits.ts';
import { SyncDesk } from './sync-desk.ts';
import { countsIn } from './usage-recorder.ts';
import { WorkerFleet } from './worker-fleet.ts';
import type { WorkerNews } from './worker-link.ts';

/** How often the number of connections is compared with its limit. */
const lookMs = 250;
/** A draining service accepts new connections for at most this long: see `drain`. */
const closingMs = 250;
/**
 * A draining service stops accepting after this many checks without a new request, each this long after the one before.
 */
const quietLooks = 4;
const quietLookMs = 10;
/** A connection that was just accepted may take this long to send its request. */
const arrivalMs = 30;
const answerLookMs = 5;
const { metrics } = requestMetrics;
const requestsInFlight = [metrics.managementInFlight, metrics.consoleInFlight] as const;
/** Work that must be finished before a draining service may close. */
const workInFlight = [...requestsInFlight, metrics.unsentBytes, metrics.longAnswers] as const;

/**
 * The front end: listens on the main thread, and hands each connection, with all its requests, to a worker. It reads a
 * request only while no worker serves. It owns what all workers share.
 */
export class Front {
  readonly #parts: FrontParts;
  readonly #server: FrontServer;
  readonly #fleet: WorkerFleet;
  readonly #connections: ConnectionRoom;
  readonly #connectionLimit: ConnectionLimit;
  readonly #touches: SessionTouches;
  readonly #sync = new SyncDesk();
  readonly #passwordThreads: PasswordThreads;
  readonly #meter = new RequestMeter(createMetricMemory(requestMetrics));
  readonly #cells: MetricCells = new Float64Array(createMetricMemory(frontMetrics));
  readonly #lookouts: readonly Lookout[];

  constructor(parts: FrontParts) {
    this.#parts = parts;
    const { config, writer, mainLog } = parts;
    const { log } = mainLog;
    const { docsUrl, workers: threads } = config;
    const limits = createSharedLimits(config.evaluationRateLimit > 0);
    this.#connections = new ConnectionRoom(limits.connectionRoom);
    this.#passwordThreads = new PasswordThreads(hashesAtOnce, log);
    this.#connectionLimit = new ConnectionLimit(this.#connections, parts.otherConnectionsMax, log);
    this.#touches = new SessionTouches(writer, (fault) => log.error({ err: fault }, 'session not touched'));
    this.#server = createFrontServer({
      meter: this.#meter.answers,
      countedAs: routeIndex('other'),
      policy: { mustClose: () => true, unsent: { take: () => nothing } },
      handle: (exchange, view) => refuseWithoutWorker(exchange, view, docsUrl, log),
      onFault: (fault) => log.error({ err: fault }, 'handler failed'),
      onConnection: (change) => this.#connections.change(change),
      crowded: tooManyConnectionsAnswer(docsUrl),
    });
    this.#fleet = new WorkerFleet({
      threads,
      requestDeadlineMs: config.requestDeadlineMs,
      server: this.#server,
      desk: new HostDesk({
        ...{ openId: parts.openId, cluster: parts.cluster },
        ...{ sync: this.#sync, hashing: this.#passwordThreads },
        onReported: (counted) => this.#takeCounts(counted),
      }),
      connections: this.#connections,
      log,
      onMessage: (message) => this.#receive(message),
      onFatal: parts.onFatal,
      writerLinks: parts.writerLinks,
      settings: workerSettings(parts, limits),
    });
    this.#lookouts = [
      watchEventLoop(this.#cells, frontMetrics.metrics.loopDelay),
      new Lookout(() => this.#look(), { busyMs: lookMs, idleMs: lookMs }),
    ];
  }

  #receive(message: WorkerNews): void {
    const { usage, mainLog, logMemory } = this.#parts;
    if (message.kind === 'log') mainLog.writeLines(receiveLines(logMemory, message.lines));
    else if (message.kind === 'touched') this.#touches.touch(message.sessionId);
    else if (message.kind === 'used') for (const use of message.uses) usage.tokenUses.add(use);
    else this.#takeCounts(message.counted);
  }

  /** Takes who is connected to flagd's sync; empty when nobody is any more. */
  noteFlagdCensus(census: readonly StreamCensus[]): void {
    this.#sync.noteCensus(this, census);
  }

  #takeCounts(counted: CountedEvaluations): void {
    for (const count of countsIn(counted, Date.now())) this.#parts.usage.evaluationCounts.add(count);
  }

  #look(): boolean {
    this.#connectionLimit.look();
    return false;
  }

  /** The writer has failed: the workers answer what waits for it. @param mayBegin it hangs, and may still begin changes */
  failWriter(mayBegin: boolean): void {
    this.#fleet.tell({ kind: 'writer-failed', mayBegin });
  }

  /** @returns when all workers serve. Rejects when one cannot start. */
  start(): Promise<void> {
    return this.#fleet.start();
  }

  /** @returns the port. @throws ListenError; Error with a message for people when no connection could be taken */
  async listen(): Promise<number> {
    this.#connectionLimit.begin();
    return await this.#server.listen(this.#parts.config.host, this.#parts.config.port);
  }

  /** Whether each request reaches a worker that answers. */
  get isServing(): boolean {
    return this.#fleet.serving > 0 && !this.#fleet.isAnyStuck;
  }

  /**
   * Lets each answer close its connection, then stops accepting new connections, and waits until requests in flight are
   * answered. While new ones are still accepted, a proxy uses up the connections that it keeps. A proxy that sends a
   * request into a closed connection repeats it on another one; HAProxy does so without a pause, and within a few
   * milliseconds every try would be refused.
   */
  async drain(timeoutMs: number): Promise<void> {
    const deadline = monotonicMs() + timeoutMs;
    this.#fleet.drain();
    await this.#quiet(Math.min(closingMs, timeoutMs / 4));
    this.#server.stopListening();
    await setTimeout(Math.min(arrivalMs, timeoutMs / 4));
    while (this.#inFlight > 0 && monotonicMs() < deadline) {
      await setTimeout(5);
    }
  }

  /**
   * The process is about to end: waits until the workers have sent the answers whose outcomes this thread gave them.
   */
  async letAnswersOut(timeoutMs: number): Promise<void> {
    const deadline = monotonicMs() + timeoutMs;
    do await setTimeout(answerLookMs);
    while (this.#used(requestsInFlight) > 0 && monotonicMs() < deadline);
  }

  /** Resolves when no request has arrived for a moment: then no client has a connection that needs closing. */
  async #quiet(timeoutMs: number): Promise<void> {
    const deadline = monotonicMs() + timeoutMs;
    let seen = this.#come;
    for (let looks = 0; looks < quietLooks && monotonicMs() < deadline; looks += 1) {
      await setTimeout(quietLookMs);
      if (this.#come === seen) continue;
      seen = this.#come;
      looks = -1;
    }
  }

  /** Changes with each request that arrives. */
  get #come(): number {
    return countEvents(this.#fleet.readRequests(), metrics.durations) + this.#inFlight;
  }

  get #inFlight(): number {
    return this.#used(workInFlight) + this.#parts.writerLinks.unsettled;
  }

  #used(gauges: readonly Metric[]): number {
    const cells = this.#fleet.readRequests();
    return gauges.reduce((sum, { firstCell }) => sum + (cells[firstCell] as number), 0);
  }

  /** Cells of `requestMetrics`: those of all workers and of the front end itself. */
  readRequestMetrics(): MetricCells {
    const requests = this.#fleet.readRequests();
    addCells(requests, this.#meter.cells);
    return requests;
  }

  /** Cells of `evaluationMetrics`, of all workers. */
  readEvaluationMetrics(): MetricCells {
    return this.#fleet.readEvaluations();
  }

  /** Cells of `frontMetrics`, up to date. */
  readMetrics(): MetricCells {
    const { writerLinks, config, usage } = this.#parts;
    readFrontMetrics(this.#cells, {
      ...{ writerLinks, usage, fleet: this.#fleet, connections: this.#connections },
      workersWanted: config.workers,
    });
    return this.#cells;
  }

  /** @returns false when a worker hangs. @param isStartFailed see `WorkerFleet.stop` */
  async stop(isStartFailed: boolean): Promise<boolean> {
    for (const lookout of this.#lookouts) lookout.close();
    this.#server.stopListening();
    const haveWorkersStopped = await this.#fleet.stop(isStartFailed);
    await this.#passwordThreads.end();
    this.#server.close();
    return haveWorkersStopped;
  }
}

function nothing(): void {
  // The front end's own answers are small.
}
