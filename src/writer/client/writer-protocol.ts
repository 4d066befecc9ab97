import type { MessagePort } from 'node:worker_threads';
import type { Denial } from '../../domain/token/denial.ts';
import type { TokenUse } from '../../domain/token/token-use.ts';
import type { EvaluationCount } from '../../domain/usage/evaluation-count.ts';
import type { LogLines } from '../../observability/thread-log.ts';
import type { ApiAnswer, ApiCall } from '../../operations/call.ts';
import type { ConsoleSettings } from '../../operations/console-settings.ts';
import type { OutboxCommand, OutboxPage } from './outbox-protocol.ts';

/** What the writer's thread needs to start. */
export interface WriterSetup {
  readonly directory: string;
  readonly mapBytes: number;
  readonly startCheckBytes: number;
  readonly docsUrl: string;
  readonly logLevel: string;
  readonly logMemory: SharedArrayBuffer;
  readonly console: ConsoleSettings;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly storageReserveBytes: number;
  /** Bytes that tokens may write to an organisation on a UTC day; 0: no quota. */
  readonly writtenBytesPerDayMax: number;
  /** 0 keeps audit entries forever. */
  readonly auditRetentionDays: number;
  /** The most commands of one group commit. The first command waits for the last. */
  readonly commitGroupSize: number;
  readonly pulse: WriterPulse;
  /** The memory of a `StoreVersion`, which changes with each commit. */
  readonly storeVersion: SharedArrayBuffer;
  /** The memory of a `FilePlace`, which shows the workers which data file the writer has opened. */
  readonly dataFilePlace: SharedArrayBuffer;
  /** The port of the operator's calls. */
  readonly operatorPort: MessagePort;
  /** The writer's cells of `writerMetrics`. */
  readonly metrics: SharedArrayBuffer;
  /** Null: the store is this process's own. */
  readonly cluster: WriterClusterSetup | null;
}

/** The writer as a node of a cluster. */
export interface WriterClusterSetup {
  /** Leads to the cluster's thread. */
  readonly port: MessagePort;
  /** This process's name in the cluster. */
  readonly node: string;
  /** `BURGEE_CLUSTER_WAIT_MS`. */
  readonly waitMs: number;
}

/** One cell, shared with the main thread. It changes while the writer makes progress, so that the main thread notices a hang. */
export type WriterPulse = SharedArrayBuffer;
export const pulseBytes = Int32Array.BYTES_PER_ELEMENT;

/**
 * The cells that a client shares with the writer and the main thread. In this one the writer stores the ticket of this
 * client's newest command that it has begun. A command that is not begun at its deadline never is.
 */
export const begunCell = 0;
/** In these two the client stores its number of commands without a result, and the bytes of their bodies. */
export const unsettledCell = 1;
export const unsettledBytesCell = 2;
export const linkCells = 3;

/** What a thread needs to be a client of the writer. */
export interface WriterLink {
  readonly port: MessagePort;
  /** The cells of this client. */
  readonly memory: SharedArrayBuffer;
  /** Counts the messages of all clients, so that the writer can take them in the order in which they were sent. */
  readonly stamp: SharedArrayBuffer;
}

/** Usage that was counted in memory since the last record. */
export interface Usage {
  readonly uses: readonly TokenUse[];
  readonly counts: readonly EvaluationCount[];
}

/** Commands without a result, of all clients together. */
export const unsettledMax = 8192;
/** Bytes of their bodies. */
export const unsettledBytesMax = 64 * 1024 * 1024;

/** Each client counts its tickets up. Deadlines are on the monotonic clock. */
export type WriterCommand =
  | {
      readonly kind: 'write';
      readonly ticket: number;
      readonly deadline: number;
      readonly call: ApiCall;
    }
  /** A session was used: updates its last use. */
  | {
      readonly kind: 'touch-session';
      readonly ticket: number;
      readonly deadline: number;
      readonly sessionId: string;
    }
  | { readonly kind: 'denial'; readonly ticket: number; readonly deadline: number; readonly denial: Denial }
  | {
      readonly kind: 'outbox';
      readonly ticket: number;
      readonly deadline: number;
      readonly command: OutboxCommand;
    }
  | { readonly kind: 'usage'; readonly ticket: number; readonly deadline: number; readonly usage: Usage };

/** Messages of the main thread to the writer. */
export type WriterRequest =
  /** A new client, which sends `ClientMessage` and receives `WriterResults`. */
  | { readonly kind: 'connect'; readonly port: MessagePort; readonly memory: SharedArrayBuffer }
  /** Fill the gauges; the answer is `measured`. */
  | { readonly kind: 'measure' }
  | { readonly kind: 'stop' };

/** Commands of one tick of a client's event loop. The stamp rises with each message of any client. */
export interface ClientMessage {
  readonly stamp: number;
  readonly commands: readonly WriterCommand[];
}

/** The results of a client's commands in one commit. */
export type WriterResults = readonly (readonly [ticket: number, result: WriterResult])[];

/** The result of a command. */
export type WriterResult =
  | { readonly kind: 'answered'; readonly answer: ApiAnswer }
  | { readonly kind: 'recorded' }
  | { readonly kind: 'letters'; readonly page: OutboxPage }
  /** Another node sends the letter, or it is gone. */
  | { readonly kind: 'taken' }
  /** Its deadline had passed; nothing was applied. */
  | { readonly kind: 'dropped' }
  /** The organisation has used up its quota of the day; nothing was applied. */
  | { readonly kind: 'quota-reached'; readonly retryAfter: number }
  /** Free disk space is below the reserve; nothing was applied. */
  | { readonly kind: 'storage-full' }
  /** The data file is not at its path; nothing was applied. */
  | { readonly kind: 'storage-moved' }
  /** Another process is opening the data file and does not finish; nothing was applied. */
  | { readonly kind: 'storage-held' }
  /** The node is cut off from its cluster; nothing was applied. */
  | { readonly kind: 'cut-off' }
  /** The cluster did not accept it; nothing was applied. */
  | { readonly kind: 'refused' }
  /** Stored in the cluster, but not confirmed by all of its nodes in time. */
  | { readonly kind: 'unconfirmed' }
  /** The commit was cut off: it may or may not be applied. */
  | { readonly kind: 'unknown' }
  /** The decision or the commit failed; nothing was applied. */
  | { readonly kind: 'failed'; readonly message: string };

/** Messages of the writer to the main thread. */
export type WriterReply =
  | {
      readonly kind: 'ready';
      readonly storeId: string;
      /** False: the first Owner must be made. */
      readonly hasMembers: boolean;
    }
  | { readonly kind: 'measured' }
  | { readonly kind: 'log'; readonly lines: LogLines }
  /** A commit has put a letter into the outbox. */
  | { readonly kind: 'outbox-grew' }
  /** The store could not be opened, or failed in a way that only a restart repairs. */
  | { readonly kind: 'fatal'; readonly message: string };
