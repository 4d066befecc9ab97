import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { createFrontServer, type FrontServer } from '../http/front-server.ts';
import { watchEventLoop } from '../observability/event-loop.ts';
import type { MainLog } from '../observability/logger.ts';
import type { Metric } from '../observability/metric.ts';
import {
  addCells,
  countEvents,
  createMetricMemory,
  type MetricCells,
  put,
} from '../observability/metric-cells.ts';
import { receiveLines } from '../observability/thread-log.ts';
import type { ConsoleSettings } from '../operations/console-settings.ts';
import type { OpenIdPort } from '../operations/sessions/open-id/open-id-protocol.ts';
import type { StreamCensus } from '../streams/stream-census.ts';
import { Lookout } from '../support/lookout.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { tooManyConnectionsAnswer } from '../worker/answers/evaluation-refusal.ts';
import type { CountedEvaluations } from '../worker/evaluation/evaluation-tallies.ts';
import { createWarningMemory } from '../worker/limits/address-finder.ts';
import { ConnectionCount, createConnectionCountMemory } from '../worker/limits/connection-count.ts';
import { createWindowMemory } from '../worker/limits/window-limiter.ts';
import type { DocsPages } from '../worker/pages/docs-pages.ts';
import type { WebApp } from '../worker/pages/web-app.ts';
import { RequestMeter } from '../worker/request-meter.ts';
import { requestMetrics } from '../worker/request-metrics-protocol.ts';
import { routeIndex } from '../worker/route-names.ts';
import type { SharedLimits, WorkerSettings } from '../worker/worker-protocol.ts';
import type { WriterClient, WriterClientOptions, WriterLinks } from '../writer/client/writer-client.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { FailedSignInLog } from './failed-sign-in-log.ts';
import { frontMetrics } from './front-metrics-protocol.ts';
import { type ClusterParts, HostDesk } from './host-desk.ts';
import { hashesAtOnce } from './password-queue.ts';
import { PasswordThreads } from './password-threads.ts';
import { refuseWithoutWorker } from './refuse-without-worker.ts';
import { SyncDesk } from './sync-desk.ts';
import { countsIn, type UsageRecorder } from './usage-recorder.ts';
import { WorkerFleet } from './worker-fleet.ts';
import type { WorkerNews } from './worker-link.ts';

/** The parts that the front end is given. */
interface FrontParts {
  readonly config: Config;
  readonly consoleSettings: ConsoleSettings;
  readonly writer: WriterClient;
  readonly writerLinks: WriterLinks;
  /** The options of a worker's client of the writer. */
  readonly writerClient: WriterClientOptions;
  /** The shared memory of a `StoreVersion`. */
  readonly storeVersion: SharedArrayBuffer;
  readonly dataFilePlace: SharedArrayBuffer;
  /** As `WorkerSettings` has it. */
  readonly leaseMemory: SharedArrayBuffer | null;
  readonly logMemory: SharedArrayBuffer;
  readonly docs: DocsPages;
  /** Null when the console was not built. */
  readonly webApp: WebApp | null;
  /** Null: no provider is configured. */
  readonly openId: OpenIdPort | null;
  /** Null: the service is alone. */
  readonly cluster: ClusterParts | null;
  readonly usage: UsageRecorder;
  /** Connections that the process may have in addition to those of the front end: of flagd's port. */
  readonly otherConnectionsMax: number;
  readonly mainLog: MainLog;
  readonly onFatal: (fault: Error) => void;
}

/** What each worker needs to know of the configuration and of the process. */
function workerSettings(parts: FrontParts, limits: SharedLimits): WorkerSettings {
  const { config } = parts;
  return {
    directory: config.dataDir,
    mapBytes: config.mapBytes,
    docsUrl: config.docsUrl,
    logLevel: config.logLevel,
    console: parts.consoleSettings,
    hasOpenId: parts.openId !== null,
    tokenPrefixesAccepted: [config.tokenPrefix, ...config.tokenPrefixesAccepted],
    trustedProxies: config.trustedProxies,
    workers: config.workers,
    inFlightMax: config.inFlightMax,
    requestDeadlineMs: config.requestDeadlineMs,
    bufferedBodyBytesMax: config.bufferedBodyBytesMax,
    managementRateLimit: config.managementRateLimit,
    failedAuthenticationLimit: config.failedAuthenticationLimit,
    consoleRateLimit: config.consoleRateLimit,
    evaluationRateLimit: config.evaluationRateLimit,
    syncStreamsMax: config.syncStreamsMax,
    cacheBytes: Math.floor(config.cacheBytes / config.workers),
    storeVersion: parts.storeVersion,
    dataFilePlace: parts.dataFilePlace,
    leaseMemory: parts.leaseMemory,
    logMemory: parts.logMemory,
    docs: parts.docs,
    webApp: parts.webApp,
    limits,
    writerClient: parts.writerClient,
  };
}

/** A limit that is switched off keeps no addresses. */
const noWindows = 1;

/** The shared memory of the limits that are exact over all workers. */
function createSharedLimits(isEvaluationLimited: boolean): SharedLimits {
  return {
    connectionCount: createConnectionCountMemory(),
    managementRate: createWindowMemory(),
    failedAuthentications: createWindowMemory(),
    failedSyncAuthentications: createWindowMemory(),
    consoleRate: createWindowMemory(),
    evaluationRate: isEvaluationLimited ? createWindowMemory() : createWindowMemory(noWindows),
    signInAttempts: {
      accounts: createWindowMemory(),
      addresses: createWindowMemory(),
      pairs: createWindowMemory(),
    },
    forgedHeaderWarning: createWarningMemory(),
    proxyWarning: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    unrecordedDenials: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  };
}

/** The most touches in flight to the writer. One more is dropped: a later request touches the session. */
const touchesMax = 256;

/** Marks sessions as seen, each at most once at a time. No answer waits for a mark. */
class SessionTouches {
  readonly #writer: WriterClient;
  readonly #onFault: (fault: unknown) => void;
  readonly #underWay = new Set<string>();

  constructor(writer: WriterClient, onFault: (fault: unknown) => void) {
    this.#writer = writer;
    this.#onFault = onFault;
  }

  touch(sessionId: string | null): void {
    if (sessionId === null || this.#underWay.has(sessionId) || this.#underWay.size >= touchesMax) return;
    this.#underWay.add(sessionId);
    this.#writer
      .touchSession(sessionId)
      .catch(this.#onFault)
      .finally(() => this.#underWay.delete(sessionId));
  }
}

/** The parts that `frontMetrics` measures. */
interface FrontReadings {
  readonly fleet: WorkerFleet;
  readonly workersWanted: number;
  readonly connections: ConnectionCount;
  readonly writerLinks: WriterLinks;
  readonly usage: UsageRecorder;
}

/** Brings the cells of `frontMetrics` up to date. */
function readFrontMetrics(
  cells: MetricCells,
  { fleet, workersWanted, connections: room, writerLinks, usage }: FrontReadings,
): void {
  const { metrics } = frontMetrics;
  const { connections } = fleet;
  put(cells, metrics.workers, fleet.serving);
  put(cells, metrics.workersWanted, workersWanted);
  put(cells, metrics.replacements, fleet.replacements);
  put(
    cells,
    metrics.connections,
    connections.reduce((sum, count) => sum + count, 0),
  );
  put(cells, metrics.connectionsMax, room.max);
  put(cells, metrics.refusedConnections, room.refused);
  put(cells, metrics.busiestConnections, Math.max(0, ...connections));
  put(cells, metrics.uncountedEvaluations, usage.evaluationCounts.uncounted);
  put(cells, metrics.uncountedTokenUses, usage.tokenUses.uncounted);
  put(cells, metrics.writerQueueDepth, writerLinks.unsettled);
  put(cells, metrics.writerQueueBytes, writerLinks.unsettledBytes);
}

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
  readonly #connections: ConnectionCount;
  readonly #connectionLimit: ConnectionLimit;
  readonly #touches: SessionTouches;
  readonly #failedSignIns: FailedSignInLog;
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
    this.#connections = new ConnectionCount(limits.connectionCount);
    this.#passwordThreads = new PasswordThreads(hashesAtOnce, log);
    this.#connectionLimit = new ConnectionLimit(this.#connections, parts.otherConnectionsMax, log);
    this.#touches = new SessionTouches(writer, (fault) => log.error({ err: fault }, 'session not touched'));
    this.#failedSignIns = new FailedSignInLog(writer, (fault) =>
      log.error({ err: fault }, 'failed sign-ins were not recorded'),
    );
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
    else if (message.kind === 'sign-in-failed') {
      const { memberIds, ...from } = message;
      for (const memberId of memberIds) this.#failedSignIns.note({ memberId, ...from }, Date.now());
    } else if (message.kind === 'used') for (const use of message.uses) usage.tokenUses.add(use);
    else this.#takeCounts(message.counted);
  }

  /** Takes the connected clients of flagd's sync; empty when the last has left. */
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

  /**
   * The writer has failed: the workers answer requests that wait for it. @param mayBegin it hangs, and may still begin
   * changes
   */
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

  /** The process is about to end: waits until the workers have sent the answers to the calls that this thread has settled. */
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
    await this.#failedSignIns.stop();
    this.#server.close();
    return haveWorkersStopped;
  }
}

function nothing(): void {
  // The front end's own answers are small.
}
