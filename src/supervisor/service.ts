import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Readiness } from '../admin/admin-server.ts';
import type { Config } from '../config/config.ts';
import { Front } from '../front/front.ts';
import { UsageRecorder } from '../front/usage-recorder.ts';
import { createMainLog, type MainLog } from '../observability/logger.ts';
import { createMetricMemory } from '../observability/metric-cells.ts';
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
import { writerMetrics } from '../writer/client/writer-metrics-protocol.ts';
import { pulseBytes } from '../writer/client/writer-protocol.ts';
import { AdminHost } from './admin-host.ts';
import { ClusterHost } from './cluster-host.ts';
import { FlagdHost } from './flagd-host.ts';
import { type MadeOffer, makeFirstOwnerOffer } from './make-first-owner-offer.ts';
import { NotifierHost } from './notifier-host.ts';
import { OperatorHost } from './operator-host.ts';
import { type SettledPort, settlePort } from './settle-port.ts';
import { WriterHost } from './writer-host.ts';

/** A service that answers. */
export interface Service {
  readonly port: number;
  readonly url: string;
  /** Address where the first Owner signs up; null when there are members. It contains a secret: never logged. */
  readonly firstOwnerUrl: string | null;
  /** Writes to standard output, in order with the log, which owns it. */
  print(lines: string): void;
  /** Stops accepting connections, answers requests in flight within the drain time, commits, and ends every thread. */
  stop(): Promise<void>;
  /** Resolves when only a restart of the process helps; otherwise never. */
  readonly failed: Promise<Error>;
}

/** The part of the drain time that is reserved for what follows the last answer: threads, the last commit, the log. */
const reservedMs = 2000;
/** How long a process with a fatal fault waits for answers that are on their way. */
const lastAnswersMs = 250;
const pagesFile = join(packageRoot(), 'dist', 'pages.pack');

/**
 * Starts the actors in the order in which they need one another: writer (opens and verifies the store), workers, operator's
 * socket; then the front end listens. The threads of the pool load from the beginning. The caller holds the claim on the
 * data directory.
 * @param leaseMemory of a `LeaseCell`, by which the service is a node of a cluster; null: it is alone
 * @throws Error with a message for people when a part cannot start; what had started is stopped again
 */
export async function startService(
  given: Config,
  leaseMemory = given.clusterUrl === null ? null : createLeaseMemory(),
): Promise<Service> {
  const settled = await settlePort(given);
  try {
    return await startParts(settled, leaseMemory);
  } finally {
    await settled.release();
  }
}

async function startParts(
  { config, release }: SettledPort,
  leaseMemory: SharedArrayBuffer | null,
): Promise<Service> {
  const starting = new ServiceParts(config, leaseMemory, createMainLog(config.logLevel));
  try {
    return await starting.start(release);
  } catch (fault) {
    await starting.stop(0, fault);
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
  /** Of a `LeaseCell`, which is valid while this node of a cluster is to send mails. Null: the service is alone, or sends none. */
  readonly #mailMemory: SharedArrayBuffer | null;
  /** Null: the service is alone. */
  readonly #lease: LeaseCell | null;
  readonly #logMemory = createLogMemory();
  readonly #onFatal: (fault: Error) => void;
  /** Handles uncaught faults of the main thread, such as a failed assertion. */
  readonly #onUncaught = (fault: Error): void => this.#onFatal(fault);
  /** Null: the service is alone. */
  readonly #cluster: ClusterHost | null;
  #front: Front | null = null;
  #openId: OpenIdProvider | null = null;
  readonly #usage: UsageRecorder;
  /** Null when no mail server is configured: letters stay in the outbox. */
  readonly #notifier: NotifierHost | null;
  /** Null: no port of flagd's sync is configured. */
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
    let reportFailure: (fault: Error) => void = () => undefined;
    this.#failed = new Promise((resolve) => {
      reportFailure = resolve;
    });
    let told: Error | null = null;
    this.#onFatal = (fault) => {
      // A failed assertion is reported twice.
      if (fault === told) return;
      told = fault;
      log.fatal({ err: fault }, 'the service cannot go on and ends; its manager should start it again');
      // Workers tell the clients whose change has failed, and end with the process.
      const answered = this.#front?.letAnswersOut(lastAnswersMs) ?? Promise.resolve();
      answered.then(() => mainLog.flush()).then(() => reportFailure(fault), reportFailure);
    };
    this.#firstOwner = makeFirstOwnerOffer(config.baseUrl, Date.now());
    this.#consoleSettings = {
      tokenPrefix: config.tokenPrefix,
      baseUrl: config.baseUrl,
      docsUrl: config.docsUrl,
      openIdName: config.openIdIssuer === null ? null : config.openIdName,
      isMailConfigured: config.smtpUrl !== null,
      isCluster: config.clusterUrl !== null,
      changeMsMax: 2 * config.requestDeadlineMs + (config.clusterUrl === null ? 0 : config.clusterWaitMs),
      firstOwnerOffer: this.#firstOwner.offer,
    };
    const node = newId();
    const clusterPorts = config.clusterUrl === null ? null : new MessageChannel();
    this.#cluster =
      clusterPorts === null || leaseMemory === null
        ? null
        : this.#createCluster(node, leaseMemory, clusterPorts.port1);
    this.#writer = new WriterHost({
      setup: {
        directory: config.dataDir,
        mapBytes: config.mapBytes,
        docsUrl: config.docsUrl,
        console: this.#consoleSettings,
        logLevel: config.logLevel,
        logMemory: this.#logMemory,
        tokenPrefixesAccepted: [config.tokenPrefix, ...config.tokenPrefixesAccepted],
        storeVersion: this.#storeVersion,
        dataFilePlace: this.#dataFilePlace,
        startCheckBytes: config.startCheckBytes,
        storageReserveBytes: config.storageReserveBytes,
        auditRetentionDays: config.auditRetentionDays,
        writtenBytesPerDayMax: config.writtenBytesPerDayMax,
        commitGroupSize: config.commitGroupSize,
        pulse: new SharedArrayBuffer(pulseBytes),
        operatorPort: writerPort,
        metrics: createMetricMemory(writerMetrics),
        cluster:
          clusterPorts === null ? null : { port: clusterPorts.port2, node, waitMs: config.clusterWaitMs },
      },
      requestDeadlineMs: config.requestDeadlineMs,
      onOutboxGrew: () => this.#notifier?.look(),
      onFatal: this.#onFatal,
      onLog: (lines) => this.#takeLines(lines),
    });
    this.#usage = new UsageRecorder(
      this.#writer.client,
      (fault) => log.error({ err: fault }, 'usage could not be recorded'),
      leaseMemory !== null,
    );
    this.#notifier = this.#createNotifier();
    this.#flagd = this.#createFlagd();
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
  async start(releasePort: SettledPort['release']): Promise<Service> {
    const config = this.#config;
    await this.#admin.start();
    const { docs, webApp } = readPackedPages(pagesFile);
    const openId = await this.#loadOpenId();
    // The pool's threads load while the writer opens the store.
    const front = new Front({
      config,
      consoleSettings: this.#consoleSettings,
      writer: this.#writer.client,
      storeVersion: this.#storeVersion,
      dataFilePlace: this.#dataFilePlace,
      leaseMemory: this.#leaseMemory,
      logMemory: this.#logMemory,
      docs,
      webApp,
      openId,
      cluster: this.#cluster,
      usage: this.#usage,
      mainLog: this.#mainLog,
      onFatal: this.#onFatal,
    });
    this.#front = front;
    const { storeId, hasMembers } = await this.#orFailed(this.#writer.ready());
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
    return {
      port,
      url,
      firstOwnerUrl: hasMembers ? null : this.#firstOwner.url,
      print: (lines) => this.#mainLog.writeLines(lines),
      stop: () => this.#stopInTime(),
      failed: this.#failed,
    };
  }

  /** A part that fails while another is waited for ends the start. */
  #orFailed<T>(part: Promise<T>): Promise<T> {
    const failed = this.#failed.then((fault): never => {
      throw fault;
    });
    return Promise.race([part, failed]);
  }

  /** Its parts are loaded only where a provider is configured. It may be down: then it is asked again when it is needed. */
  async #loadOpenId(): Promise<OpenIdDesk | null> {
    const { openIdIssuer: issuer, openIdClientId: clientId, openIdClientSecret, baseUrl } = this.#config;
    if (issuer === null || clientId === null) return null;
    const { OpenIdProvider } = await import('../operations/sessions/open-id/open-id-provider.ts');
    const { OpenIdDesk } = await import('../operations/sessions/open-id/open-id-desk.ts');
    const provider = new OpenIdProvider({ issuer, clientId, clientSecret: openIdClientSecret, baseUrl });
    this.#openId = provider;
    const { log } = this.#mainLog;
    const { redirectUrl } = provider;
    const told = { issuer, redirectUrl };
    provider.find().then(
      () => log.info(told, 'the OpenID provider answers'),
      (fault: Error) =>
        log.warn(
          { ...told, reason: fault.message },
          'the OpenID provider does not answer as it should; it is asked again with each sign-in',
        ),
    );
    return new OpenIdDesk(provider, log);
  }

  #createCluster(node: string, leaseMemory: SharedArrayBuffer, replicaPort: MessagePort): ClusterHost {
    const { clusterUrl, clusterPasswordFile, clusterSchema, clusterLeaseMs, clusterWaitMs, clusterWait } =
      this.#config;
    return new ClusterHost({
      setup: {
        url: clusterUrl ?? '',
        passwordFile: clusterPasswordFile,
        schema: clusterSchema,
        node,
        leaseMs: clusterLeaseMs,
        waitMs: clusterWaitMs,
        wait: clusterWait,
        leaseMemory,
        mailMemory: this.#mailMemory,
        logLevel: this.#config.logLevel,
        logMemory: this.#logMemory,
        replicaPort,
      },
      onFatal: this.#onFatal,
      onLog: (lines) => this.#takeLines(lines),
    });
  }

  #createNotifier(): NotifierHost | null {
    const { smtpUrl, mailFrom, baseUrl, logLevel } = this.#config;
    if (smtpUrl === null) return null;
    const [leaseMemory, mailMemory] = [this.#leaseMemory, this.#mailMemory];
    const cluster = leaseMemory === null || mailMemory === null ? null : { leaseMemory, mailMemory };
    const setup = { smtpUrl, mailFrom, baseUrl, logLevel, logMemory: this.#logMemory, cluster };
    const onLog = (lines: LogLines): void => this.#takeLines(lines);
    return new NotifierHost({ setup, writer: this.#writer.client, log: this.#mainLog.log, onLog });
  }

  #createFlagd(): FlagdHost | null {
    const { flagdSyncPort: port, flagdSyncHost: host, dataDir: directory, mapBytes, logLevel } = this.#config;
    if (port === null) return null;
    const { flagdSyncCertFile: certFile, flagdSyncKeyFile: keyFile } = this.#config;
    const { tokenPrefix, tokenPrefixesAccepted, syncStreamsMax: streamsMax } = this.#config;
    const { failedAuthenticationLimit } = this.#config;
    const { log } = this.#mainLog;
    return new FlagdHost({
      setup: {
        ...{ directory, mapBytes, host, port, streamsMax, failedAuthenticationLimit, logLevel },
        tls: certFile === null || keyFile === null ? null : { certFile, keyFile },
        tokenPrefixesAccepted: [tokenPrefix, ...tokenPrefixesAccepted],
        storeVersion: this.#storeVersion,
        dataFilePlace: this.#dataFilePlace,
        leaseMemory: this.#leaseMemory,
        logMemory: this.#logMemory,
      },
      log,
      onUsed: (use) => this.#usage.tokenUses.add(use),
      onDenied: (denial) => {
        this.#writer.client
          .recordDenial(denial)
          .then(({ kind }) => {
            if (kind !== 'recorded') log.error({ outcome: kind }, 'a denial was not recorded');
          })
          .catch((fault: unknown) => log.error({ err: fault }, 'a denial was not recorded'));
      },
      onCensus: (census) => this.#front?.noteFlagdCensus(census),
      onLog: (lines) => this.#takeLines(lines),
    });
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

  /** Some time after the drain time the process ends as it is. A change under way then is either complete or absent. */
  async #stopInTime(): Promise<void> {
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
