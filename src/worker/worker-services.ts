import { errorEnvelope } from '../contracts/error-envelope.ts';
import type { AnswerPolicy } from '../http/answer-policy.ts';
import { Stalls } from '../http/body-reader.ts';
import { createWorkerServer, type WorkerServer } from '../http/worker-server.ts';
import type { Logger } from '../observability/logger.ts';
import { plainJsonHeaders } from '../operations/answer-headers.ts';
import type { ConversationActors } from '../operations/conversation.ts';
import { ReadQueue } from '../operations/read-queue.ts';
import { openIdCookie } from '../operations/sessions/open-id/open-id-cookie.ts';
import { sessionCookie } from '../operations/sessions/session-cookie.ts';
import type { PageWatchers } from '../operations/watching/page-watchers.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import { ConsolePages } from '../streams/console-pages.ts';
import type { StreamCensus } from '../streams/stream-census.ts';
import { StreamServer } from '../streams/stream-server.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import { AnswerEncoders, encodersMax } from './answers/answer-encoder.ts';
import { tooManyConnectionsAnswer } from './answers/evaluation-refusal.ts';
import type { LongAnswers } from './answers/long-answers.ts';
import type { ApiServices } from './api.ts';
import { consoleApi, managementApi, syncApi } from './apis.ts';
import { attachmentOf } from './attachment.ts';
import { createEvaluation, type Evaluation } from './create-evaluation.ts';
import type { EvaluationMeter } from './evaluation/evaluation-meter.ts';
import type { EvaluationTallies } from './evaluation/evaluation-tallies.ts';
import type { FlagSource } from './evaluation/flag-source.ts';
import type { HostClient } from './host-client.ts';
import { AddressFinder, ClientAddresses } from './limits/address-finder.ts';
import { AddressLimiter } from './limits/address-limiter.ts';
import { ConnectionCount } from './limits/connection-count.ts';
import { EvaluationLimit } from './limits/evaluation-limit.ts';
import { createPools, longAnswerQuota, unsentAnswers } from './limits/pools.ts';
import { Pool } from './limits/quota.ts';
import { AttemptLimiters, ClusterAttempts } from './limits/sign-in-attempts.ts';
import type { WindowMemory } from './limits/window-limiter.ts';
import { BrowserStreams } from './ofrep/browser-streams.ts';
import { PublicBase } from './ofrep/events-url.ts';
import { OfrepFlagEvaluator } from './ofrep/ofrep-flag.ts';
import { OfrepFlagsEvaluator } from './ofrep/ofrep-flags.ts';
import { OfrepHandler } from './ofrep/ofrep-handler.ts';
import { Pipeline } from './pipeline.ts';
import { RequestMeter } from './request-meter.ts';
import { routeIndex } from './route-names.ts';
import { createDirectRoutes, createRoutes, type RouteParts, refuseAmbiguous } from './routes.ts';
import { WorkerStreamMeter } from './stream-meter.ts';
import { SyncAnswers } from './sync-answers.ts';
import { UsageReports } from './usage-reports.ts';
import type { WorkerLog } from './worker-log.ts';
import type { WorkerSetup } from './worker-protocol.ts';

/** The worker's decisions about its connections. */
export interface ConnectionHooks {
  mustClose: AnswerPolicy['mustClose'];
  /** @param change 1 or -1 */
  onConnection(change: number): void;
}

/** What a worker asks of other threads. */
interface WorkerActors {
  readonly host: HostClient;
  readonly writer: WriterPort;
  readonly log: WorkerLog;
}

/** The parts with which a worker serves its connections. */
export interface WorkerServices {
  readonly requestMeter: RequestMeter;
  readonly meter: EvaluationMeter;
  readonly tallies: EvaluationTallies;
  readonly source: FlagSource;
  readonly longAnswers: LongAnswers;
  /** The programs that follow environments. */
  census(): readonly StreamCensus[];
  /** Ends every event stream: their clients reconnect. */
  endStreams(): void;
  readonly server: WorkerServer;
}

/** Memory of a worker for the events of all environments that streams follow. */
const streamMemoryMax = 128 * 1024 * 1024;

const failureDetail = 'Something went wrong in the service. Retry; if it persists, look at its log.';

/** Creates the parts of a worker: evaluation, the APIs, and the app that takes connections. */
export function createServices(
  setup: WorkerSetup,
  reader: StoreReader,
  { host, writer, log: workerLog }: WorkerActors,
  hooks: ConnectionHooks,
): WorkerServices {
  const { log } = workerLog;
  const attachment = attachmentOf(setup.leaseMemory);
  const addresses = new ClientAddresses(setup.trustedProxies);
  const requestMeter = new RequestMeter(setup.requestMetrics);
  const pools = createPools(setup, requestMeter.cells, log);
  const evaluation = createEvaluation(setup, reader, attachment, longAnswerQuota(pools), {
    addressOf: (exchange, request) => addresses.findOf(exchange, request).address.limitKey,
    onFault: (fault, during) => log.error({ err: fault, during }, 'request failed'),
  });
  const streamMeter = new WorkerStreamMeter(requestMeter.cells);
  const { isAttached } = attachment;
  const streams = new StreamServer({
    ...{ reader, log, memoryMax: streamMemoryMax, meter: streamMeter, storeVersion: setup.storeVersion },
    refresh: () => evaluation.source.refresh(),
    isAttached,
  });
  const { limits, evaluationRateLimit, docsUrl } = setup;
  const apiParts = {
    docsUrl,
    services: apiServices(setup, evaluation, requestMeter, host, log, isAttached),
    writer: attachment.writer(writer),
    logRequest: workerLog.logRequest,
    onTokenUsed: workerLog.noteTokenUse,
  };
  const { onFault, reads } = apiParts.services;
  const failures = (memory: WindowMemory): AddressLimiter =>
    new AddressLimiter(memory, setup.failedAuthenticationLimit);
  const limiter =
    evaluationRateLimit > 0 ? new AddressLimiter(limits.evaluationRate, evaluationRateLimit) : null;
  const onBodyStep = (ms: number): void => evaluation.meter.observeStep('body', ms);
  const { requestDeadlineMs } = setup;
  const stalls = new Stalls(requestDeadlineMs);
  const routeParts: RouteParts = {
    flagAnswer: evaluation.flagAnswer,
    project: evaluation.project,
    ofrep: new OfrepHandler({
      ...{ addresses, isAttached, onBodyStep, bodies: pools.bodyBytes, stalls },
      ...{ readQueue: apiParts.services.readQueue, longAnswers: evaluation.longAnswers },
      meter: evaluation.meter,
      flag: new OfrepFlagEvaluator(evaluation.source, evaluation),
      flags: new OfrepFlagsEvaluator(evaluation.source, evaluation.project.evaluator),
      events: new BrowserStreams({ server: streams, quotas: pools.streams, meter: streamMeter }),
      routes: {
        flag: routeIndex('ofrep-flag'),
        flags: routeIndex('ofrep-flags'),
        events: routeIndex('ofrep-events'),
      },
      publicBase: new PublicBase(setup.console.baseUrl, addresses),
      onFault: evaluation.project.onFault,
    }),
    pipeline: new Pipeline({
      addresses: new AddressFinder(addresses, log, limits.forgedHeaderWarning),
      ...{ bodies: pools.bodyBytes, onBodyStep, stalls },
    }),
    management: managementApi({
      ...apiParts,
      requestRate: new AddressLimiter(limits.managementRate, setup.managementRateLimit),
      failedAuthentications: failures(limits.failedAuthentications),
      requests: pools.managementRequests,
    }),
    console: consoleApi({
      ...apiParts,
      requestRate: new AddressLimiter(limits.consoleRate, setup.consoleRateLimit),
      requests: pools.consoleRequests,
      encoders: new AnswerEncoders(new Pool(encodersMax, setup.workers, { isUndivided: true }).quotaOf(null)),
      actors: conversationActors(setup, apiParts, host, {
        watchers: new ConsolePages({ server: streams, reads, places: host.watchPlaces, isAttached }),
        ownAttempts: new AttemptLimiters(limits.signInAttempts, requestMeter),
      }),
    }),
    sync: syncApi({
      ...apiParts,
      failedAuthentications: failures(limits.failedSyncAuthentications),
      answers: new SyncAnswers({
        ...{ streams, quotas: pools.streams, streamMeter, requestDeadlineMs, onFault },
        longAnswers: evaluation.longAnswers,
        usageReports: new UsageReports(reader.evaluation),
        reportUsage: host.reportUsage,
      }),
    }),
    webApp: setup.webApp,
    baseUrl: setup.console.baseUrl,
    evaluation: new EvaluationLimit(limiter, addresses, docsUrl, requestMeter),
    docs: setup.docs,
    docsUrl,
    apiExchange: attachment.apiExchange,
    onFault: evaluation.project.onFault,
  };
  const connections = new ConnectionCount(limits.connectionCount);
  const server = createWorkerServer({
    routes: createRoutes(routeParts),
    directRoutes: createDirectRoutes(routeParts),
    meter: requestMeter.answers,
    policy: { mustClose: hooks.mustClose, unsent: unsentAnswers(pools.unsentBytes, addresses) },
    failure: {
      headers: plainJsonHeaders,
      body: errorEnvelope({ code: 'internal-error', detail: failureDetail }, docsUrl),
    },
    onFault: (fault) => log.error({ err: fault }, 'handler failed'),
    refuseAmbiguous: (exchange, request, fault) => refuseAmbiguous(exchange, request, fault, routeParts),
    onConnection: (change) => {
      hooks.onConnection(change);
      return connections.change(change);
    },
    crowded: attachment.crowded(tooManyConnectionsAnswer(docsUrl)),
  });
  return {
    ...evaluation,
    requestMeter,
    census: () => streams.census(),
    endStreams: () => streams.close(),
    server,
  };
}

/** What the pipeline of every API uses. */
function apiServices(
  setup: WorkerSetup,
  { reads, longAnswers }: Evaluation,
  meter: RequestMeter,
  host: HostClient,
  log: Logger,
  isAttached: () => boolean,
): ApiServices {
  return {
    ...{ reads, longAnswers, meter, isAttached },
    readQueue: new ReadQueue(setup.requestDeadlineMs),
    countUnrecordedDenial: ({ call, head }, outcome) => {
      meter.countUnrecordedDenial();
      const sinceStart = Atomics.add(new Int32Array(setup.limits.unrecordedDenials), 0, 1) + 1;
      const line = { requestId: call.requestId, ...head.callerIds, outcome, sinceStart };
      log.error(line, 'a denial was not recorded');
    },
    touch: (sessionId) => {
      if (sessionId !== null) host.tell({ kind: 'touched', sessionId });
    },
    onFault: (fault, { call, head, format }) =>
      log.error(
        { err: fault, requestId: call.requestId, ...head.callerIds },
        `${format.name} request failed`,
      ),
  };
}

function conversationActors(
  setup: WorkerSetup,
  { services, writer }: { readonly services: ApiServices; readonly writer: WriterPort },
  host: HostClient,
  own: { readonly watchers: PageWatchers; readonly ownAttempts: AttemptLimiters },
): ConversationActors {
  const { console: settings } = setup;
  const { reads, readQueue, touch, meter } = services;
  const { watchers, ownAttempts } = own;
  return {
    ...{ reads, readQueue, touch, writer, watchers, settings },
    noteFailedSignIn: (memberIds, { address, requestId }) => {
      meter.countFailedSignIn(memberIds.length > 0);
      if (memberIds.length > 0) host.tell({ kind: 'sign-in-failed', memberIds, address, requestId });
    },
    cookie: sessionCookie(settings.baseUrl),
    openIdCookie: openIdCookie(settings.baseUrl),
    passwords: host.passwords,
    attempts: settings.isCluster ? new ClusterAttempts(ownAttempts, host.attempts, meter) : ownAttempts,
    openId: setup.hasOpenId ? host.openId : null,
    nodes: host.nodes,
    syncStreams: host.syncStreams,
  };
}
