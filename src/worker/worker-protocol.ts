import type { MessagePort } from 'node:worker_threads';
import type { TokenUse } from '../domain/token/token-use.ts';
import type { AppDescriptor } from '../http/uws.ts';
import type { LogLines } from '../observability/thread-log.ts';
import type { ConsoleSettings } from '../operations/console-settings.ts';
import type { PasswordPort } from '../operations/conversation.ts';
import type { OpenIdPort } from '../operations/sessions/open-id/open-id-protocol.ts';
import type { Viewer } from '../operations/watching/watch-places.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import type { CountedEvaluations } from './evaluation/evaluation-tallies.ts';
import type { AttemptMemory } from './limits/attempt-limiters.ts';
import type { PlaceMemory } from './limits/shared-places.ts';
import type { WindowMemory } from './limits/window-limiter.ts';
import type { DocsPages } from './pages/docs-pages.ts';
import type { WebApp } from './pages/web-app.ts';

/** What all workers together may hold, each a `SharedBudget`. */
export const budgetNames = [
  /** Of clients; those that are being refused too. */
  'connections',
  'managementRequests',
  'consoleRequests',
  /** Buffered request bodies. */
  'bodyBytes',
  /** Large answers whose clients have not taken them whole: their number, and their bytes. */
  'unsentAnswers',
  'unsentBytes',
  /** Evaluations that wait until a long flag was read. */
  'waitingEvaluations',
] as const;
export type BudgetName = (typeof budgetNames)[number];

/** Lists and exports that are being made, or sent to slow clients. */
const longAnswersMax = 1024;
/** Snapshots that they keep: each pins pages and takes one of the 512 readers that LMDB has. */
const pinnedSnapshotsMax = 128;
/** What all workers together have so many places for, each `SharedPlaces`. */
export const placesOf = { longAnswers: longAnswersMax, pinnedSnapshots: pinnedSnapshotsMax } as const;
export type PlaceName = keyof typeof placesOf;

/** Memory that all workers share: limits of the process, exact over any spread of connections. */
export interface SharedLimits {
  readonly budgets: Readonly<Record<BudgetName, SharedArrayBuffer>>;
  readonly places: Readonly<Record<PlaceName, PlaceMemory>>;
  /** Of a `ConnectionRoom`. */
  readonly connectionRoom: SharedArrayBuffer;
  readonly managementRate: WindowMemory;
  readonly failedAuthentications: WindowMemory;
  readonly consoleRate: WindowMemory;
  readonly evaluationRate: WindowMemory;
  readonly signInAttempts: AttemptMemory;
  readonly forgedHeaderWarning: SharedArrayBuffer;
  /** Number of denials that could not be recorded since the start. */
  readonly unrecordedDenials: SharedArrayBuffer;
}

/** Settings that a worker needs, and every other worker has the same. */
export interface WorkerSettings {
  readonly directory: string;
  readonly mapBytes: number;
  readonly docsUrl: string;
  readonly logLevel: string;
  readonly console: ConsoleSettings;
  readonly hasOpenId: boolean;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly inFlightMax: number;
  readonly requestDeadlineMs: number;
  readonly bufferedBodyBytesMax: number;
  readonly managementRateLimit: number;
  readonly failedAuthenticationLimit: number;
  readonly consoleRateLimit: number;
  readonly evaluationRateLimit: number;
  /** Memory for compiled flags, of this worker. */
  readonly cacheBytes: number;
  /** The memory of a `StoreVersion`, which moves with each commit. */
  readonly storeVersion: SharedArrayBuffer;
  /** Which data file the writer has opened: the memory of a `FilePlace`. */
  readonly dataFilePlace: SharedArrayBuffer;
  /** The memory of a `LeaseCell`; null: this is no node of a cluster. */
  readonly leaseMemory: SharedArrayBuffer | null;
  readonly limits: SharedLimits;
  readonly logMemory: SharedArrayBuffer;
  /** 1 while evaluations need the processor and changes are sent sparingly. */
  readonly pacing: SharedArrayBuffer;
  readonly docs: DocsPages;
  /** Null when it was not built. */
  readonly webApp: WebApp | null;
}

/** What a worker needs to start: everything is plain data or shared memory. */
export interface WorkerSetup extends WorkerSettings {
  /** Counts up over all workers of the process. */
  readonly index: number;
  /** Its place in the pool, used again after its end: its cells of the budgets. */
  readonly place: number;
  readonly port: MessagePort;
  /** Cells of `requestMetrics` and `evaluationMetrics`. */
  readonly requestMetrics: SharedArrayBuffer;
  readonly evaluationMetrics: SharedArrayBuffer;
  /** See the cells below. */
  readonly state: SharedArrayBuffer;
}

/** Moves some times a second while the worker's event loop turns. Written by the worker. */
export const beatCell = 0;
/** Connections that it has. Written by the worker. */
export const connectionsCell = 1;
/** Connections that are to be closed with their next answers, so that others get them. */
export const shedCell = 2;
/** The `threadId` that it runs on. Written by the worker. */
export const threadCell = 3;
export const stateCells = 4;

/** How often a worker beats. */
export const beatIntervalMs = 250;

/** Asked of the main thread, which does it once for all workers: one map from name to arguments and result. */
export interface HostCalls {
  readonly write: Call<WriterPort['write']>;
  readonly recordDenial: Call<WriterPort['recordDenial']>;
  readonly checkPassword: Call<PasswordPort['check']>;
  readonly checkPasswords: Call<PasswordPort['checkEach']>;
  readonly hashPassword: Call<PasswordPort['hash']>;
  readonly beginOpenId: Call<OpenIdPort['begin']>;
  readonly takeOpenId: Call<OpenIdPort['take']>;
  readonly receiveOpenId: Call<OpenIdPort['receive']>;
  readonly joinWatchers: Call<(viewer: Viewer) => Promise<number | string>>;
  /** Resolves when the front end hands the worker no more connections. `mayWait`: until no other one leaves. */
  readonly leave: Call<(reason: string, mayWait: boolean) => Promise<null>>;
}
export type HostCallName = keyof HostCalls;

interface Call<Method extends (...args: never[]) => Promise<unknown>> {
  readonly args: Parameters<Method>;
  readonly result: Awaited<ReturnType<Method>>;
}

/** One call on its way. */
export type HostCall = {
  readonly [Name in HostCallName]: {
    readonly id: number;
    readonly name: Name;
    readonly args: HostCalls[Name]['args'];
  };
}[HostCallName];

/** Worker to main thread. */
export type WorkerMessage =
  /** Its store is open and its app takes connections. */
  | { readonly kind: 'ready'; readonly descriptor: AppDescriptor }
  /** Those of one turn of the event loop, or of one pace, together. */
  | { readonly kind: 'calls'; readonly calls: readonly HostCall[] }
  | { readonly kind: 'log'; readonly lines: LogLines }
  | { readonly kind: 'used'; readonly uses: readonly TokenUse[] }
  | { readonly kind: 'counted'; readonly counted: CountedEvaluations }
  | { readonly kind: 'touched'; readonly sessionId: string }
  | { readonly kind: 'left-watchers'; readonly place: number }
  /** Its last message: nothing of it is held any more. */
  | { readonly kind: 'ended' };

/** Main thread to worker. */
export type HostMessage =
  /** Results of calls; a text instead of one says that it failed. */
  | { readonly kind: 'results'; readonly results: readonly HostResult[] }
  /** Close each connection with its answer; streams end now. */
  | { readonly kind: 'drain' }
  /** Every answer is given, or its time is up: close the rest and end. */
  | { readonly kind: 'stop' }
  /** It was taken for hung, and lives: it is to leave in order. */
  | { readonly kind: 'leave'; readonly reason: string };

export type HostResult =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string };

/** How many threads have come to a meeting, in shared memory, and how many there are. */
export interface Meeting {
  readonly arrived: SharedArrayBuffer;
  readonly threads: number;
}
