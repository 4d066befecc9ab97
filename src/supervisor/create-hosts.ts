import type { MessagePort } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { isDefaultBaseUrl } from '../config/settings.ts';
import type { UsageRecorder } from '../front/usage-recorder.ts';
import type { MainLog } from '../observability/logger.ts';
import { createMetricMemory } from '../observability/metric-cells.ts';
import type { LogLines } from '../observability/thread-log.ts';
import type { ConsoleSettings } from '../operations/console-settings.ts';
import type { StreamCensus } from '../streams/stream-census.ts';
import { descriptorLimit } from '../support/descriptor-limit.ts';
import {
  clientOptions,
  type WriterClient,
  type WriterClientOptions,
} from '../writer/client/writer-client.ts';
import { writerMetrics } from '../writer/client/writer-metrics-protocol.ts';
import { pulseBytes, type WriterSetup } from '../writer/client/writer-protocol.ts';
import { ClusterHost } from './cluster-host.ts';
import { FlagdHost } from './flagd-host.ts';
import { NotifierHost } from './notifier-host.ts';
import { WriterHost } from './writer-host.ts';

/* Hosts of the threads other than workers: the writer, and those that not every service has. */

export interface HostParts {
  readonly config: Config;
  readonly mainLog: MainLog;
  readonly storeVersion: SharedArrayBuffer;
  readonly dataFilePlace: SharedArrayBuffer;
  readonly leaseMemory: SharedArrayBuffer | null;
  readonly mailMemory: SharedArrayBuffer | null;
  readonly logMemory: SharedArrayBuffer;
  readonly onFatal: (fault: Error) => void;
  readonly onLog: (lines: LogLines) => void;
}

/** The settings for the console's operations, in the writer and in each worker. */
export function consoleSettingsOf(
  config: Config,
  firstOwnerOffer: ConsoleSettings['firstOwnerOffer'],
): ConsoleSettings {
  return {
    tokenPrefix: config.tokenPrefix,
    baseUrl: config.baseUrl,
    docsUrl: config.docsUrl,
    shown: shownAddresses(config),
    openIdName: config.openIdIssuer === null ? null : config.openIdName,
    isMailConfigured: config.smtpUrl !== null,
    isCluster: config.clusterUrl !== null,
    firstOwnerOffer,
  };
}

function shownAddresses(config: Config): ConsoleSettings['shown'] {
  const { baseUrl, docsUrl } = config;
  if (!isDefaultBaseUrl(config)) return { baseUrl, docsUrl };
  return docsUrl === `${baseUrl}/docs` ? {} : { docsUrl };
}

/** The options of the writer's clients: the main thread and each worker. */
export function writerClientOptionsOf(config: Config): WriterClientOptions {
  const answerMs = config.clusterUrl === null ? null : config.clusterWaitMs;
  return clientOptions(config.requestDeadlineMs, answerMs, config.workers + 1);
}

interface WriterParts extends Pick<WriterSetup, 'console' | 'operatorPort' | 'cluster'> {
  readonly onOutboxGrew: () => void;
  readonly onFailed: (mayBegin: boolean) => void;
}

export function createWriterHost(
  { config, storeVersion, dataFilePlace, logMemory, onFatal, onLog }: HostParts,
  { onOutboxGrew, onFailed, ...given }: WriterParts,
): WriterHost {
  return new WriterHost({
    setup: {
      directory: config.dataDir,
      mapBytes: config.mapBytes,
      docsUrl: config.docsUrl,
      logLevel: config.logLevel,
      tokenPrefixesAccepted: [config.tokenPrefix, ...config.tokenPrefixesAccepted],
      ...{ storeVersion, dataFilePlace, logMemory },
      startCheckBytes: config.startCheckBytes,
      storageReserveBytes: config.storageReserveBytes,
      auditRetentionDays: config.auditRetentionDays,
      writtenBytesPerDayMax: config.writtenBytesPerDayMax,
      commitGroupSize: config.commitGroupSize,
      pulse: new SharedArrayBuffer(pulseBytes),
      metrics: createMetricMemory(writerMetrics),
      ...given,
    },
    client: writerClientOptionsOf(config),
    onOutboxGrew,
    onFailed,
    onFatal,
    onLog,
  });
}

interface NodeParts {
  /** The id of this process in the cluster. */
  readonly node: string;
  readonly leaseMemory: SharedArrayBuffer;
  /** The writer's end is its own. */
  readonly replicaPort: MessagePort;
}

export function createClusterHost(
  { config, mailMemory, logMemory, onFatal, onLog }: HostParts,
  { node, leaseMemory, replicaPort }: NodeParts,
): ClusterHost {
  const { clusterUrl, clusterPasswordFile, clusterSchema, clusterLeaseMs, clusterWaitMs, clusterWait } =
    config;
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
      mailMemory,
      logLevel: config.logLevel,
      logMemory,
      replicaPort,
    },
    onFatal,
    onLog,
  });
}

/** @returns null when no mail server is configured */
export function createNotifierHost(
  { config, mainLog, leaseMemory, mailMemory, logMemory, onLog }: HostParts,
  writer: WriterClient,
): NotifierHost | null {
  const { smtpUrl, mailFrom, baseUrl, logLevel } = config;
  if (smtpUrl === null) return null;
  const cluster = leaseMemory === null || mailMemory === null ? null : { leaseMemory, mailMemory };
  const setup = { smtpUrl, mailFrom, baseUrl, logLevel, logMemory, cluster };
  return new NotifierHost({ setup, writer, log: mainLog.log, onLog });
}

interface FlagdParts {
  readonly writer: WriterClient;
  readonly usage: UsageRecorder;
  readonly onCensus: (census: readonly StreamCensus[]) => void;
}

/**
 * Connections to flagd's port in addition to those with a stream, for providers that connect or are refused.
 */
const spareConnections = 256;
/** Fraction of the process's descriptors. The front end has the rest. */
const flagdShare = 1 / 4;

/** @returns the maximum of connections to flagd's port; 0 without a port */
export function flagdConnectionsMax({ flagdSyncPort, syncStreamsMax }: Config): number {
  if (flagdSyncPort === null) return 0;
  const limit = descriptorLimit();
  const wanted = syncStreamsMax + spareConnections;
  return limit === null ? wanted : Math.min(wanted, Math.floor(limit * flagdShare));
}

/** @returns null when no port of flagd's sync is configured */
export function createFlagdHost(
  { config, mainLog, storeVersion, dataFilePlace, leaseMemory, logMemory, onLog }: HostParts,
  { writer, usage, onCensus }: FlagdParts,
): FlagdHost | null {
  const { flagdSyncPort: port, flagdSyncHost: host, dataDir: directory, mapBytes, logLevel } = config;
  if (port === null) return null;
  const { flagdSyncCertFile: certFile, flagdSyncKeyFile: keyFile } = config;
  const { tokenPrefix, tokenPrefixesAccepted, syncStreamsMax: streamsMax } = config;
  const { failedAuthenticationLimit } = config;
  const { log } = mainLog;
  return new FlagdHost({
    setup: {
      ...{ directory, mapBytes, host, port, streamsMax, failedAuthenticationLimit, logLevel },
      connectionsMax: flagdConnectionsMax(config),
      tls: certFile === null || keyFile === null ? null : { certFile, keyFile },
      tokenPrefixesAccepted: [tokenPrefix, ...tokenPrefixesAccepted],
      ...{ storeVersion, dataFilePlace, leaseMemory, logMemory },
    },
    log,
    onUsed: (use) => usage.tokenUses.add(use),
    onDenied: (denial) => {
      writer
        .recordDenial(denial)
        .then(({ kind }) => {
          if (kind !== 'recorded') log.error({ outcome: kind }, 'a denial was not recorded');
        })
        .catch((fault: unknown) => log.error({ err: fault }, 'a denial was not recorded'));
    },
    onCensus,
    onLog,
  });
}
