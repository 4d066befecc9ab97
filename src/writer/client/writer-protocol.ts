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
  /** Bytes that tokens may write to an organisation on a UTC day; 0 is no quota. */
  readonly writtenBytesPerDayMax: number;
  /** 0 keeps audit entries for ever. */
  readonly auditRetentionDays: number;
  /** Most commands of one group commit: bounded, so that the first one does not wait for the thousandth. */
  readonly commitGroupSize: number;
  readonly pulse: WriterPulse;
  /** The memory of a `StoreVersion`, which changes with each commit. */
  readonly storeVersion: SharedArrayBuffer;
  /** The memory of a `FilePlace`: tells the workers which data file the writer has opened. */
  readonly dataFilePlace: SharedArrayBuffer;
  /** The port of the operator's calls. */
  readonly operatorPort: MessagePort;
  /** The writer's cells of `writerMetrics`. */
  readonly metrics: SharedArrayBuffer;
  /** Null: the store is this process's own. */
  readonly cluster: WriterClusterSetup | null;
}

/** How the writer belongs to a cluster. */
export interface WriterClusterSetup {
  /** Leads to the cluster's thread. */
  readonly port: MessagePort;
  /** What this process is called there. */
  readonly node: string;
  /** `BURGEE_CLUSTER_WAIT_MS`. */
  readonly waitMs: number;
}

/** Shared with the main thread, which watches the writer: see the cells below. */
export type WriterPulse = SharedArrayBuffer;
/** Changes while the writer makes progress, in long transactions too. */
export const pulseProgressCell = 0;
/** The ticket of the newest command that was begun. A command that is not begun at its deadline never will be. */
export const pulseBegunCell = 1;
export const pulseBytes = 8;

/** Usage that was counted in memory since the last record. */
export interface Usage {
  readonly uses: readonly TokenUse[];
  readonly counts: readonly EvaluationCount[];
}

/** Commands that the writer has not told the result of: beyond, the main thread sends none. */
export const unsettledMax = 8192;

/** Tickets count up; deadlines are on the monotonic clock. */
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

/** @returns the account in whose turn a command waits that takes long; undefined for all others */
export function turnOf(command: WriterCommand): string | undefined {
  return 'call' in command ? command.call.turnOf : undefined;
}

/** Messages to the writer. */
export type WriterRequest =
  | { readonly kind: 'commands'; readonly commands: readonly WriterCommand[] }
  /** Fill the gauges; the answer is `measured`. */
  | { readonly kind: 'measure' }
  | { readonly kind: 'stop' };

/** The result of a command. */
export type WriterResult =
  | { readonly kind: 'answered'; readonly answer: ApiAnswer }
  | { readonly kind: 'recorded' }
  | { readonly kind: 'letters'; readonly page: OutboxPage }
  /** The letter that was to be begun is another node's, or gone. */
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
  /** The cluster was asked, and did not take it; nothing was applied. */
  | { readonly kind: 'refused' }
  /** Stored in the cluster, and not confirmed by all of its nodes in time. */
  | { readonly kind: 'unconfirmed' }
  /** The commit was cut off: it may or may not be applied. */
  | { readonly kind: 'unknown' }
  /** The decision or the commit failed; nothing was applied. */
  | { readonly kind: 'failed'; readonly message: string };

/** Messages from the writer. The results of one commit come in one message. */
export type WriterReply =
  | {
      readonly kind: 'ready';
      readonly storeId: string;
      /** False when there are no members: the first Owner is yet to be made. */
      readonly hasMembers: boolean;
    }
  | {
      readonly kind: 'results';
      /** Results of one commit. */
      readonly results: readonly (readonly [ticket: number, WriterResult])[];
      /** Commands are left in the same queue: the commit had its largest size. */
      readonly areMoreWaiting: boolean;
    }
  | { readonly kind: 'measured' }
  | { readonly kind: 'log'; readonly lines: LogLines }
  /** A commit has put a letter into the outbox. */
  | { readonly kind: 'outbox-grew' }
  /** The store could not be opened, or failed in a way that only a restart mends. */
  | { readonly kind: 'fatal'; readonly message: string };
