import { errorEnvelope } from '../contracts/error-envelope.ts';
import type { AnswerPolicy } from '../http/answer-policy.ts';
import { createWorkerServer, type WorkerServer } from '../http/worker-server.ts';
import { plainJsonHeaders } from '../operations/answer-headers.ts';
import { ReadQueue } from '../operations/read-queue.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import { ConsolePages } from '../streams/console-pages.ts';
import type { StreamCensus } from '../streams/stream-census.ts';
import { StreamServer } from '../streams/stream-server.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import { AnswerEncoders, encodersMax } from './answers/answer-encoder.ts';
import { crowdedAnswer } from './answers/crowded-answer.ts';
import type { LongAnswers } from './answers/long-answers.ts';
import { ApiGate, type ApiGateOptions } from './api-gate.ts';
import { attachmentOf } from './attachment.ts';
import { ConsoleDoor, type ConsoleDoorOptions } from './console-door.ts';
import { createEvaluation, type Evaluation } from './create-evaluation.ts';
import type { EvaluationMeter } from './evaluation/evaluation-meter.ts';
import type { EvaluationTallies } from './evaluation/evaluation-tallies.ts';
import type { FlagSource } from './evaluation/flag-source.ts';
import type { HostClient } from './host-client.ts';
import { AddressFinder, ClientAddresses } from './limits/address-finder.ts';
import { AddressLimiter } from './limits/address-limiter.ts';
import { ConnectionRoom } from './limits/connection-room.ts';
import { EvaluationLimit } from './limits/evaluation-limit.ts';
import { createPools, longAnswerRoom, type Pools, unsentAnswers } from './limits/pools.ts';
import { Pool } from './limits/quota.ts';
import { StreamRoom } from './limits/stream-room.ts';
import { ManagementDoor } from './management-door.ts';
import { BrowserStreams } from './ofrep/browser-streams.ts';
import { PublicBase } from './ofrep/events-url.ts';
import { OfrepFlagEvaluator } from './ofrep/ofrep-flag.ts';
import { OfrepFlagsEvaluator } from './ofrep/ofrep-flags.ts';
import { OfrepGate, type OfrepGateParts } from './ofrep/ofrep-gate.ts';
import { refuseAmbiguous } from './refuse-ambiguous.ts';
import { RequestMeter } from './request-meter.ts';
import { routeIndex } from './route-names.ts';
import { createBodyRoutes, createDirectRoutes, createRoutes, type RouteParts } from './routes.ts';
import { WorkerStreamMeter } from './stream-meter.ts';
import { SyncDoor } from './sync-door.ts';
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
  /** Ends every event stream: their clients come back. */
  endStreams(): void;
  readonly server: WorkerServer;
}

/** Memory of a worker for the events of all environments that streams follow. */
const streamMemoryMax = 128 * 1024 * 1024;

const failureDetail = 'Something went wrong in the service. Retry; if it persists, look at its log.';

/** Puts the parts of a worker together: evaluation, both gates, and the app that takes connections. */
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
  const evaluation = createEvaluation(setup, reader, attachment, longAnswerRoom(pools), {
    addressOf: (exchange, request) => addresses.findOf(exchange, request).address.limitKey,
    onFault: (fault, during) => log.error({ err: fault, during }, 'request failed'),
  });
  const readQueue = new ReadQueue(setup.requestDeadlineMs);
  const doorParts: DoorParts = {
    reads: evaluation.reads,
    readQueue,
    longAnswers: evaluation.longAnswers,
    writer: attachment.writer(writer),
    meter: requestMeter,
    log,
    logRequest: (line) => workerLog.logRequest(line),
    isAttached: () => attachment.isAttached(),
  };
  const gateOptions: ApiGateOptions = {
    addresses: new AddressFinder(addresses, log, setup.limits.forgedHeaderWarning),
    bodies: pools.bodyBytes,
    onBodyStep: (ms) => evaluation.meter.observeStep('body', ms),
    requestDeadlineMs: setup.requestDeadlineMs,
    isAttached: () => attachment.isAttached(),
  };
  const management = managementDoor(setup, doorParts, pools, workerLog);
  const managementGate = new ApiGate(management, gateOptions);
  const streamMeter = new WorkerStreamMeter(requestMeter.cells);
  const streams = new StreamServer({
    ...{ reader, log, memoryMax: streamMemoryMax, meter: streamMeter, storeVersion: setup.storeVersion },
    refresh: () => evaluation.source.refresh(),
    isAttached: () => attachment.isAttached(),
  });
  const consoleDoor = createConsoleDoor(setup, doorParts, pools, host, streams);
  const console = new ApiGate(consoleDoor, gateOptions);
  const room = new StreamRoom(pools.streams);
  const events = new BrowserStreams({
    ...{ server: streams, room, meter: streamMeter },
    accountOf: (project) => evaluation.source.accountOf(project),
  });
  const syncDoor = new SyncDoor({
    ...doorParts,
    ...{ streams, room, streamMeter },
    docsUrl: setup.docsUrl,
    tokenPrefixesAccepted: setup.tokenPrefixesAccepted,
    failedAuthentications: new AddressLimiter(
      setup.limits.failedSyncAuthentications,
      setup.failedAuthenticationLimit,
    ),
    usageReports: new UsageReports(reader.evaluation),
    reportUsage: host.reportUsage,
    requestDeadlineMs: setup.requestDeadlineMs,
    onTokenUsed: (use, status, tokenId) => workerLog.noteTokenUse(use, status, tokenId),
    countUnrecordedDenial: (request, outcome) => management.actors.countUnrecordedDenial(request, outcome),
  });
  const sync = new ApiGate(syncDoor, gateOptions);
  const { limits, evaluationRateLimit, docsUrl } = setup;
  const limiter =
    evaluationRateLimit > 0 ? new AddressLimiter(limits.evaluationRate, evaluationRateLimit) : null;
  const routeParts: RouteParts = {
    flagAnswer: evaluation.flagAnswer,
    project: evaluation.project,
    ofrep: createOfrepGate(setup, evaluation, { addresses, events, readQueue }, gateOptions),
    management: managementGate,
    console,
    sync,
    webApp: setup.webApp,
    evaluation: new EvaluationLimit(limiter, addresses, docsUrl, requestMeter),
    docs: setup.docs,
    docsUrl,
    apiExchange: attachment.apiExchange,
    onFault: evaluation.project.onFault,
  };
  const connections = new ConnectionRoom(limits.connectionRoom);
  const server = createWorkerServer({
    routes: createRoutes(routeParts),
    directRoutes: createDirectRoutes(routeParts),
    bodyRoutes: createBodyRoutes(routeParts),
    meter: requestMeter.answers,
    policy: { mustClose: hooks.mustClose, unsent: unsentAnswers(pools.unsentBytes, addresses) },
    failure: {
      headers: plainJsonHeaders,
      body: errorEnvelope({ code: 'internal-error', detail: failureDetail }, docsUrl),
    },
    onFault: (fault) => log.error({ err: fault }, 'handler failed'),
    refuseAmbiguous: (exchange, request, fault) =>
      refuseAmbiguous(exchange, request, fault, { management: managementGate, console, sync, docsUrl }),
    onConnection: (change) => {
      hooks.onConnection(change);
      return connections.change(change);
    },
    crowded: attachment.crowded(crowdedAnswer(docsUrl)),
  });
  return {
    ...evaluation,
    requestMeter,
    census: () => streams.census(),
    endStreams: () => streams.close(),
    server,
  };
}

function createOfrepGate(
  setup: WorkerSetup,
  { source, meter, tallies, longAnswers, project }: Evaluation,
  parts: Pick<OfrepGateParts, 'addresses' | 'events' | 'readQueue'>,
  { bodies, onBodyStep, isAttached }: ApiGateOptions,
): OfrepGate {
  return new OfrepGate({
    ...parts,
    ...{ meter, longAnswers, bodies, onBodyStep, isAttached, deadlineMs: setup.requestDeadlineMs },
    flag: new OfrepFlagEvaluator(source, { meter, tallies }),
    flags: new OfrepFlagsEvaluator(source, project.evaluator),
    routes: {
      flag: routeIndex('ofrep-flag'),
      flags: routeIndex('ofrep-flags'),
      events: routeIndex('ofrep-events'),
    },
    publicBase: new PublicBase(setup.console.baseUrl, parts.addresses),
    onFault: project.onFault,
  });
}

/** What both doors are made with. */
type DoorParts = Pick<
  ConsoleDoorOptions,
  'reads' | 'readQueue' | 'longAnswers' | 'writer' | 'meter' | 'log' | 'logRequest' | 'isAttached'
>;

function managementDoor(
  setup: WorkerSetup,
  parts: DoorParts,
  pools: Pools,
  workerLog: WorkerLog,
): ManagementDoor {
  const { limits } = setup;
  return new ManagementDoor({
    ...parts,
    docsUrl: setup.docsUrl,
    requestRate: new AddressLimiter(limits.managementRate, setup.managementRateLimit),
    failedAuthentications: new AddressLimiter(limits.failedAuthentications, setup.failedAuthenticationLimit),
    requests: pools.managementRequests,
    unrecordedDenials: limits.unrecordedDenials,
    onTokenUsed: (use, status, tokenId) => workerLog.noteTokenUse(use, status, tokenId),
  });
}

function createConsoleDoor(
  setup: WorkerSetup,
  parts: DoorParts,
  pools: Pools,
  host: HostClient,
  server: StreamServer,
): ConsoleDoor {
  const { limits } = setup;
  const { reads, isAttached } = parts;
  return new ConsoleDoor({
    ...parts,
    settings: setup.console,
    encoders: new AnswerEncoders(new Pool(encodersMax, setup.workers, { isUndivided: true }).quotaOf(null)),
    host,
    watchers: new ConsolePages({ server, reads, places: host.watchPlaces, isAttached }),
    requestRate: new AddressLimiter(limits.consoleRate, setup.consoleRateLimit),
    requests: pools.consoleRequests,
    attempts: limits.signInAttempts,
    hasOpenId: setup.hasOpenId,
  });
}
