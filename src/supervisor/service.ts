import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv6, type Server } from 'node:net';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Readiness } from '../admin/admin-server.ts';
import type { Config } from '../config/config.ts';
import { hasUnknownAddress } from '../config/settings.ts';
import { Front } from '../front/front.ts';
import { UsageRecorder } from '../front/usage-recorder.ts';
import { describeRefusedListen, ListenError } from '../http/listen-error.ts';
import { createMainLog, type MainLog } from '../observability/logger.ts';
import { createLogMemory, type LogLines, receiveLines } from '../observability/thread-log.ts';
import type { ConsoleSettings } from '../operations/console-settings.ts';
import type { OpenIdDesk } from '../operations/sessions/open-id/open-id-desk.ts';
import type { OpenIdProvider } from '../operations/sessions/open-id/open-id-provider.ts';
import { endProcessNow } from '../support/end-process.ts';
import { createFilePlaceMemory } from '../support/file-place.ts';
import { createLeaseMemory, LeaseCell } from '../support/lease-cell.ts';
import { packageRoot } from '../support/package-root.ts';
import { newId } from '../support/random-id.ts';
import { createStoreVersionMemory } from '../support/store-version.ts';
import { readPackedPages } from '../worker/pages/packed-pages.ts';
import { AdminHost } from './admin-host.ts';
import type { ClusterHost } from './cluster-host.ts';
import {
  consoleSettingsOf,
  createClusterHost,
  createFlagdHost,
  createNotifierHost,
  createWriterHost,
  flagdConnectionsMax,
  type HostParts,
  writerClientOptionsOf,
} from './create-hosts.ts';
import type { FlagdHost } from './flagd-host.ts';
import { type MadeOffer, makeFirstOwnerOffer } from './make-first-owner-offer.ts';
import type { NotifierHost } from './notifier-host.ts';
import { OperatorHost } from './operator-host.ts';
import type { WriterHost } from './writer-host.ts';

const unknownAddress =
  'sign-in links and mails lead to an address that only this machine reaches: set BURGEE_BASE_URL to the one at which people reach it';

/** The settled configuration, and the hold on its port. */
interface SettledPort {
  readonly config: Config;
  /** Gives the port back: the front end listens on it right after. A second call has no effect. */
  release(): Promise<void>;
}

/**
 * Port 0 asks for any free port. It is chosen before the threads start, because the links in error bodies contain it,
 * and held until the front end listens, so that no other process can get it, nor the admin listener, which may have a
 * port 0 of its own.
 * @throws ListenError when the address cannot be listened on
 */
export async function settlePort(config: Config): Promise<SettledPort> {
  if (config.port !== 0) return { config, release: () => Promise.resolve() };
  const listener = createServer((socket) => socket.destroy());
  listener.listen(0, config.host);
  await once(listener, 'listening').catch((fault: unknown) => {
    throw new ListenError(describeRefusedListen(config.host, 0), { cause: fault });
  });
  const { port } = listener.address() as AddressInfo;
  const settle = (url: string): string => url.replace(/^(http:\/\/[^/]*):0(?=\/|$)/, `$1:${port}`);
  const settled = { ...config, port, baseUrl: settle(config.baseUrl), docsUrl: settle(config.docsUrl) };
  return { config: settled, release: () => close(listener) };
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  await once(server, 'close');
}

interface OpenId {
  readonly provider: OpenIdProvider;
  readonly desk: OpenIdDesk;
}

/**
 * Loads OpenID's parts only if a provider is configured. If the provider is down, the next sign-in tries again.
 * @returns null if no provider is configured
 */
async function loadOpenId(config: Config, log: Logger): Promise<OpenId | null> {
  const { openIdIssuer: issuer, openIdClientId: clientId, openIdClientSecret, baseUrl } = config;
  if (issuer === null || clientId === null) return null;
  const { OpenIdProvider } = await import('../operations/sessions/open-id/open-id-provider.ts');
  const { OpenIdDesk } = await import('../operations/sessions/open-id/open-id-desk.ts');
  const provider = new OpenIdProvider({ issuer, clientId, clientSecret: openIdClientSecret, baseUrl });
  const { redirectUrl } = provider;
  const fields = { issuer, redirectUrl };
  provider.find().then(
    () => log.info(fields, 'the OpenID provider answers'),
    (fault: Error) =>
      log.warn(
        { ...fields, reason: fault.message },
        'the OpenID provider does not answer as it should; it is asked again with each sign-in',
      ),
  );
  return { provider, desk: new OpenIdDesk(provider, log) };
}

interface FatalFault {
  /** Logs the fault, and lets answers in flight be sent. */
  readonly onFatal: (fault: Error) => void;
  /** Resolves with the fault when the process may end; otherwise never. */
  readonly failed: Promise<Error>;
}

/**
 * Waits for a fault after which only a restart of the process helps.
 * @param letAnswersOut resolves when answers in flight are sent, or after their timeout
 */
function awaitFatalFault(mainLog: MainLog, letAnswersOut: () => Promise<void>): FatalFault {
  let reportFailure: (fault: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    reportFailure = resolve;
  });
  let reported: Error | null = null;
  const onFatal = (fault: Error): void => {
    // A failed assertion is reported twice.
    if (fault === reported) return;
    reported = fault;
    mainLog.log.fatal({ err: fault }, 'the service cannot go on and ends; its manager should start it again');
    letAnswersOut()
      .then(() => mainLog.flush())
      .then(() => reportFailure(fault), reportFailure);
  };
  return { onFatal, failed };
}

/** A service that answers. */
export interface Service {
  readonly port: number;
  readonly url: string;
  /** Address where the first Owner signs up; null when there are members. It contains a secret: never logged. */
  readonly firstOwnerUrl: string | null;
  /** Stops accepting connections, answers requests in flight within the drain time, commits, and ends every thread. */
  stop(): Promise<void>;
  /** Resolves when only a restart of the process helps; otherwise never. */
  readonly failed: Promise<Error>;
}

/** The service was to stop before it could answer, and has stopped. */
export class StoppedAtStart extends Error {}

/**
 * Part of the drain time that is reserved for what follows the last answer: threads, the last commit, the
 * log.
 */
const reservedMs = 2000;
/** Timeout for answers in flight after a fatal fault. */
const lastAnswersMs = 250;
const pagesFile = join(packageRoot(), 'dist', 'pages.pack');

/**
 * Starts the actors in the order in which they need one another: writer (opens and verifies the store), workers, operator's
 * socket; then the front end listens. The threads of the pool load from the beginning. The caller holds the claim on the
 * data directory.
 * @param leaseMemory of a `LeaseCell`, by which the service is a node of a cluster; null: it is alone
 * @param toStop resolves when the service is to stop; later the caller stops it
 * @throws StoppedAtStart if that was before the store was open. @throws Error with a message for people when a part cannot start; what had started is stopped again
 */
export async function startService(
  given: Config,
  leaseMemory = given.clusterUrl === null ? null : createLeaseMemory(),
  toStop: Promise<unknown> = new Promise(() => undefined),
): Promise<Service> {
  const settled = await settlePort(given);
  try {
    return await startParts(settled, leaseMemory, toStop);
  } finally {
    await settled.release();
  }
}

async function startParts(
  { config, release }: SettledPort,
  leaseMemory: SharedArrayBuffer | null,
  toStop: Promise<unknown>,
): Promise<Service> {
  const starting = new ServiceParts(config, leaseMemory, createMainLog(config.logLevel));
  try {
    return await starting.start(release, toStop);
  } catch (fault) {
    if (fault instanceof StoppedAtStart) await starting.stopInTime();
    else await starting.stop(0, fault);
    throw fault;
  }
}

class ServiceParts {
  readonly #config: Config;
  readonly #mainLog: MainLog;
  readonly #consoleSettings: ConsoleSettings;
  readonly #firstOwner: MadeOffer;
  readonly #storeVersion = createStoreVersionMemory();
  readonly #failed: Promise<Error>;
  readonly #writer: WriterHost;
  readonly #operator: OperatorHost;
  readonly #dataFilePlace = createFilePlaceMemory();
  readonly #leaseMemory: SharedArrayBuffer | null;
  /**
   * Memory of a `LeaseCell` that is valid while this node sends the cluster's mails. Null if the service is
   * alone, or sends none.
   */
  readonly #mailMemory: SharedArrayBuffer | null;
  /** Null if the service is alone. */
  readonly #lease: LeaseCell | null;
  readonly #logMemory = createLogMemory();
  readonly #onFatal: (fault: Error) => void;
  /** Handles uncaught faults of the main thread, such as a failed assertion. */
  readonly #onUncaught = (fault: Error): void => this.#onFatal(fault);
  /** Null if the service is alone. */
  readonly #cluster: ClusterHost | null;
  #front: Front | null = null;
  #openId: OpenIdProvider | null = null;
  readonly #usage: UsageRecorder;
  /** Null when no mail server is configured: letters stay in the outbox. */
  readonly #notifier: NotifierHost | null;
  /** Null when no port of flagd's sync is configured. */
  readonly #flagd: FlagdHost | null;
  readonly #admin: AdminHost;
  #isWriterReady = false;
  #isListening = false;
  #phase: Readiness['phase'] = 'starting';

  constructor(config: Config, leaseMemory: SharedArrayBuffer | null, mainLog: MainLog) {
    this.#config = config;
    this.#leaseMemory = leaseMemory;
    this.#mailMemory = leaseMemory === null || config.smtpUrl === null ? null : createLeaseMemory();
    this.#lease = leaseMemory === null ? null : new LeaseCell(leaseMemory);
    this.#mainLog = mainLog;
    const { port1: operatorPort, port2: writerPort } = new MessageChannel();
    const { log } = mainLog;
    // Workers answer the clients whose change has failed, and end with the process.
    const end = awaitFatalFault(mainLog, async () => this.#front?.letAnswersOut(lastAnswersMs));
    this.#onFatal = end.onFatal;
    this.#failed = end.failed;
    this.#firstOwner = makeFirstOwnerOffer(config.baseUrl, Date.now());
    this.#consoleSettings = consoleSettingsOf(config, this.#firstOwner.offer);
    const hostParts: HostParts = {
      ...{ config, mainLog, leaseMemory, mailMemory: this.#mailMemory, logMemory: this.#logMemory },
      ...{ storeVersion: this.#storeVersion, dataFilePlace: this.#dataFilePlace, onFatal: this.#onFatal },
      onLog: (lines) => this.#takeLines(lines),
    };
    const node = newId();
    const clusterPorts = config.clusterUrl === null ? null : new MessageChannel();
    this.#cluster =
      clusterPorts === null || leaseMemory === null
        ? null
        : createClusterHost(hostParts, { node, leaseMemory, replicaPort: clusterPorts.port1 });
    this.#writer = createWriterHost(hostParts, {
      console: this.#consoleSettings,
      operatorPort: writerPort,
      cluster:
        clusterPorts === null ? null : { port: clusterPorts.port2, node, waitMs: config.clusterWaitMs },
      onOutboxGrew: () => this.#notifier?.look(),
      onFailed: (mayBegin) => this.#front?.failWriter(mayBegin),
    });
    this.#usage = new UsageRecorder(
      this.#writer.client,
      (fault) => log.error({ err: fault }, 'usage could not be recorded'),
      leaseMemory !== null,
    );
    this.#notifier = createNotifierHost(hostParts, this.#writer.client);
    this.#flagd = createFlagdHost(hostParts, {
      ...{ writer: this.#writer.client, usage: this.#usage },
      onCensus: (census) => this.#front?.noteFlagdCensus(census),
    });
    this.#admin = new AdminHost({
      host: config.adminHost,
      port: config.adminPort,
      log,
      readiness: () => this.#readiness(),
      writer: this.#writer,
      cluster: this.#cluster,
      notifier: this.#notifier,
      flagd: this.#flagd,
      front: () => this.#front,
    });
    this.#operator = new OperatorHost({
      directory: config.dataDir,
      tokenPrefix: config.tokenPrefix,
      writerPort: operatorPort,
      log,
    });
  }

  #takeLines(lines: LogLines): void {
    this.#mainLog.writeLines(receiveLines(this.#logMemory, lines));
  }

  /** @param releasePort gives back the port on which the front end is to listen */
  async start(releasePort: SettledPort['release'], toStop: Promise<unknown>): Promise<Service> {
    const config = this.#config;
    await this.#admin.start();
    const { docs, webApp } = readPackedPages(pagesFile);
    const openId = await loadOpenId(config, this.#mainLog.log);
    this.#openId = openId?.provider ?? null;
    // The pool's threads load while the writer opens the store.
    const front = new Front({
      config,
      consoleSettings: this.#consoleSettings,
      writer: this.#writer.client,
      writerLinks: this.#writer.links,
      writerClient: writerClientOptionsOf(config),
      storeVersion: this.#storeVersion,
      dataFilePlace: this.#dataFilePlace,
      leaseMemory: this.#leaseMemory,
      logMemory: this.#logMemory,
      docs,
      webApp,
      openId: openId?.desk ?? null,
      cluster: this.#cluster,
      usage: this.#usage,
      otherConnectionsMax: flagdConnectionsMax(config),
      mainLog: this.#mainLog,
      onFatal: this.#onFatal,
    });
    this.#front = front;
    const { storeId, hasMembers } = await this.#orFailed(this.#writer.ready(), toStop);
    this.#isWriterReady = true;
    this.#notifier?.start();
    await front.start();
    await this.#operator.start(storeId);
    await this.#flagd?.start();
    await releasePort();
    const port = await front.listen();
    this.#isListening = true;
    this.#phase = 'serving';
    process.on('uncaughtException', this.#onUncaught);
    const host = isIPv6(config.host) ? `[${config.host}]` : config.host;
    const url = `http://${host}:${port}`;
    this.#mainLog.log.info({ host: config.host, port, url, pid: process.pid }, 'listening');
    if (hasUnknownAddress(config)) this.#mainLog.log.warn({ baseUrl: config.baseUrl }, unknownAddress);
    return {
      port,
      url,
      firstOwnerUrl: hasMembers ? null : this.#firstOwner.url,
      stop: () => this.stopInTime(),
      failed: this.#failed,
    };
  }

  /** Rejects if any part fails, or the service is to stop, while another is awaited. */
  #orFailed<T>(part: Promise<T>, toStop: Promise<unknown>): Promise<T> {
    const failed = this.#failed.then((fault): never => {
      throw fault;
    });
    const stopped = toStop.then((): never => {
      throw new StoppedAtStart();
    });
    return Promise.race([part, failed, stopped]);
  }

  #readiness(): Readiness {
    const parts = {
      writer: this.#isWriterReady && this.#writer.client.isServing,
      workers: this.#front?.isServing ?? false,
      front: this.#isListening,
      ...(this.#lease === null ? {} : { cluster: this.#lease.isValid() }),
    };
    const failing = Object.entries(parts).flatMap(([name, isServing]) => (isServing ? [] : [name]));
    return { phase: this.#phase, failing };
  }

  /**
   * Ends the process if the stop outlasts the drain time. A change in flight is then either complete or
   * absent.
   */
  async stopInTime(): Promise<void> {
    const { drainTimeoutMs } = this.#config;
    const overdue = setTimeout(() => {
      this.#mainLog.log.error(
        { drainTimeoutMs },
        'the drain time is over: the process ends with work under way',
      );
      this.#mainLog.flush().then(endProcessNow, endProcessNow);
    }, drainTimeoutMs + reservedMs);
    await this.stop(drainTimeoutMs - Math.min(reservedMs, drainTimeoutMs / 2));
    clearTimeout(overdue);
  }

  /**
   * Stops what faces users first, and what supports it last.
   * @param fault why the service must stop: logged at the end, when nothing else can report it
   */
  async stop(drainTimeoutMs: number, fault?: unknown): Promise<void> {
    this.#phase = 'draining';
    this.#isListening = false;
    const flagdStopped = this.#flagd?.stop();
    const notifierStopped = this.#notifier?.stop();
    await this.#front?.drain(drainTimeoutMs);
    this.#openId?.close();
    await this.#operator.stop();
    await notifierStopped;
    const hasFlagdStopped = (await flagdStopped) ?? true;
    const haveWorkersStopped = ((await this.#front?.stop(fault !== undefined)) ?? true) && hasFlagdStopped;
    // A writer that waits for the cluster's state ends when the cluster's thread does.
    if (!this.#isWriterReady) await this.#cluster?.stop();
    await this.#usage.stop();
    await this.#writer.stop();
    await this.#cluster?.stop();
    this.#admin.close();
    if (haveWorkersStopped) this.#mainLog.log.info('stopped');
    else this.#mainLog.log.error({ err: fault }, 'a worker thread hangs: the process ends without it');
    const canEnd = await this.#mainLog.end();
    process.off('uncaughtException', this.#onUncaught);
    if (!haveWorkersStopped || !canEnd) endProcessNow();
  }
}
