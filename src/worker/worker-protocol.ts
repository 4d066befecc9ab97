import type { MessagePort } from 'node:worker_threads';
import type { TokenUse } from '../domain/token/token-use.ts';
import type { AppDescriptor } from '../http/uws.ts';
import type { LogLines } from '../observability/thread-log.ts';
import type { AttemptsPort } from '../operations/cluster/attempts-port.ts';
import type { NodesPort } from '../operations/cluster/nodes-port.ts';
import type { ConsoleSettings } from '../operations/console-settings.ts';
import type { PasswordPort } from '../operations/conversation.ts';
import type { OpenIdPort } from '../operations/sessions/open-id/open-id-protocol.ts';
import type { SyncStreamsPort } from '../operations/sync/sync-streams-port.ts';
import type { Viewer } from '../operations/watching/watch-places.ts';
import type { StreamCensus } from '../streams/stream-census.ts';
import type { WriterClientOptions } from '../writer/client/writer-client.ts';
import type { WriterLink } from '../writer/client/writer-protocol.ts';
import type { CountedEvaluations } from './evaluation/evaluation-tallies.ts';
import type { AttemptMemory } from './limits/sign-in-attempts.ts';
import type { WindowMemory } from './limits/window-limiter.ts';
import type { DocsPages } from './pages/docs-pages.ts';
import type { WebApp } from './pages/web-app.ts';
import type { ReportUsage } from './usage-reports.ts';

/** Memory that all workers share: limits of the process that are exact for any spread of connections. */
export interface SharedLimits {
  /** The memory of a `ConnectionCount`. */
  readonly connectionCount: SharedArrayBuffer;
  readonly managementRate: WindowMemory;
  readonly failedAuthentications: WindowMemory;
  /** Of sync. Programs with a wrong token must not stop the Management API for others of their address. */
  readonly failedSyncAuthentications: WindowMemory;
  readonly consoleRate: WindowMemory;
  readonly evaluationRate: WindowMemory;
  readonly signInAttempts: AttemptMemory;
  readonly forgedHeaderWarning: SharedArrayBuffer;
  /** 1 once the log has said that an undeclared proxy may be why an address has its whole quota. */
  readonly proxyWarning: SharedArrayBuffer;
  /** Number of denials that could not be recorded since the start. */
  readonly unrecordedDenials: SharedArrayBuffer;
}

/** Settings that all workers have in common. */
export interface WorkerSettings {
  readonly directory: string;
  readonly mapBytes: number;
  readonly docsUrl: string;
  readonly logLevel: string;
  readonly console: ConsoleSettings;
  readonly hasOpenId: boolean;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Workers that serve at once: each has an even part of the process' limits. */
  readonly workers: number;
  readonly inFlightMax: number;
  readonly requestDeadlineMs: number;
  readonly bufferedBodyBytesMax: number;
  readonly managementRateLimit: number;
  readonly failedAuthenticationLimit: number;
  readonly consoleRateLimit: number;
  readonly evaluationRateLimit: number;
  /** Event streams of the process. */
  readonly syncStreamsMax: number;
  /** Memory for the compiled flags of this worker. */
  readonly cacheBytes: number;
  /** The memory of a `StoreVersion`, which changes with each commit. */
  readonly storeVersion: SharedArrayBuffer;
  /** The memory of a `FilePlace`: the data file that the writer has opened. */
  readonly dataFilePlace: SharedArrayBuffer;
  /** The memory of a `LeaseCell`; null: this is not a node of a cluster. */
  readonly leaseMemory: SharedArrayBuffer | null;
  readonly limits: SharedLimits;
  readonly logMemory: SharedArrayBuffer;
  readonly writerClient: WriterClientOptions;
  readonly docs: DocsPages;
  /** Null when the console was not built. */
  readonly webApp: WebApp | null;
}

/** What a worker needs to start: plain data or shared memory. */
export interface WorkerSetup extends WorkerSettings {
  /** A number that counts all workers of the process. */
  readonly index: number;
  readonly port: MessagePort;
  readonly writer: WriterLink;
  /** Cells of `requestMetrics` and `evaluationMetrics`. */
  readonly requestMetrics: SharedArrayBuffer;
  readonly evaluationMetrics: SharedArrayBuffer;
  /** See the cells below. */
  readonly state: SharedArrayBuffer;
}

/** Changes some times a second while the worker's event loop turns. Written by the worker. */
export const beatCell = 0;
/** Connections of the worker. Written by the worker. */
export const connectionsCell = 1;
/** Connections that it should close with their next answers, so that other workers get them. */
export const shedCell = 2;
/** The `threadId` that it runs on. Written by the worker. */
export const threadCell = 3;
export const stateCells = 4;

/** How often a worker changes its pulse. */
export const beatIntervalMs = 250;

/** Calls to the main thread, which has these things once for all workers: one map from name to arguments and result. */
export interface HostCalls {
  readonly checkPassword: Call<PasswordPort['check']>;
  readonly hashPassword: Call<PasswordPort['hash']>;
  readonly beginOpenId: Call<OpenIdPort['begin']>;
  readonly receiveOpenId: Call<OpenIdPort['receive']>;
  readonly listNodes: Call<NodesPort['list']>;
  readonly countAttempts: Call<AttemptsPort['count']>;
  readonly giveBackAttempts: Call<AttemptsPort['giveBack']>;
  readonly listSyncStreams: Call<SyncStreamsPort['list']>;
  readonly reportUsage: Call<ReportUsage>;
  readonly joinWatchers: Call<(viewer: Viewer) => Promise<number | string>>;
  /**
   * Resolves when the front end hands the worker no more connections. `mayWait`: it may wait until no other worker
   * leaves.
   */
  readonly leave: Call<(reason: string, mayWait: boolean) => Promise<null>>;
}
export type HostCallName = keyof HostCalls;

interface Call<Method extends (...args: never[]) => Promise<unknown>> {
  readonly args: Parameters<Method>;
  readonly result: Awaited<ReturnType<Method>>;
}

/** A call on its way. */
export type HostCall = {
  readonly [Name in HostCallName]: {
    readonly id: number;
    readonly name: Name;
    readonly args: HostCalls[Name]['args'];
  };
}[HostCallName];

/** Messages of a worker to the main thread. */
export type WorkerMessage =
  /** The worker's store is open, and its app takes connections. */
  | { readonly kind: 'ready'; readonly descriptor: AppDescriptor }
  /** The calls of one pass of the event loop. */
  | { readonly kind: 'calls'; readonly calls: readonly HostCall[] }
  | { readonly kind: 'log'; readonly lines: LogLines }
  | { readonly kind: 'used'; readonly uses: readonly TokenUse[] }
  | { readonly kind: 'counted'; readonly counted: CountedEvaluations }
  | { readonly kind: 'touched'; readonly sessionId: string }
  /** A sign-in with the email of these members has failed. */
  | {
      readonly kind: 'sign-in-failed';
      readonly memberIds: readonly string[];
      readonly address: string;
      readonly requestId: string;
    }
  /** The clients of sync on this worker; sent every few seconds while there are any. */
  | { readonly kind: 'synced'; readonly census: readonly StreamCensus[] }
  | { readonly kind: 'left-watchers'; readonly place: number }
  /** Its last message: it holds no resources any more. */
  | { readonly kind: 'ended' };

/** Messages of the main thread to a worker. */
export type HostMessage =
  /** Results of calls; a failed call has a text instead. */
  | { readonly kind: 'results'; readonly results: readonly HostResult[] }
  /** Close each connection with its answer; streams end now. */
  | { readonly kind: 'drain' }
  /** Every answer is given, or the time is up: close the remaining connections and end. */
  | { readonly kind: 'stop' }
  /** The writer has failed, and the process is about to end. `mayBegin`: it hangs, and may still begin changes. */
  | { readonly kind: 'writer-failed'; readonly mayBegin: boolean }
  /** The worker had counted as stuck, and runs again: it should leave in order. */
  | { readonly kind: 'leave'; readonly reason: string };

export type HostResult =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string };

/** In shared memory: how many threads have arrived at a barrier, and how many must arrive. */
export interface Meeting {
  readonly arrived: SharedArrayBuffer;
  readonly threads: number;
}
