import type { Config } from '../config/config.ts';
import type { MainLog } from '../observability/logger.ts';
import type { ConsoleSettings } from '../operations/console-settings.ts';
import type { OpenIdPort } from '../operations/sessions/open-id/open-id-protocol.ts';
import type { DocsPages } from '../worker/pages/docs-pages.ts';
import type { WebApp } from '../worker/pages/web-app.ts';
import type { SharedLimits, WorkerSettings } from '../worker/worker-protocol.ts';
import type { WriterClient, WriterClientOptions, WriterLinks } from '../writer/client/writer-client.ts';
import type { ClusterParts } from './host-desk.ts';
import type { UsageRecorder } from './usage-recorder.ts';

/** What the front end is given. */
export interface FrontParts {
  readonly config: Config;
  readonly consoleSettings: ConsoleSettings;
  readonly writer: WriterClient;
  readonly writerLinks: WriterLinks;
  /** How a worker is a client of the writer. */
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
  /** Connections that the process may have beside those of the front end: of flagd's port. */
  readonly otherConnectionsMax: number;
  readonly mainLog: MainLog;
  readonly onFatal: (fault: Error) => void;
}

/** What each worker needs to know of the configuration and of the process. */
export function workerSettings(parts: FrontParts, limits: SharedLimits): WorkerSettings {
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
