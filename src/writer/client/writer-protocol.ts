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
  /** What tokens may write to an organisation on a UTC day; 0 is no quota. */
  readonly writtenBytesPerDayMax: number;
  /** 0 keeps audit entries for ever. */
  readonly auditRetentionDays: number;
  /** Commands of one commit, at most: bounded, so that the first does not wait for the thousandth. */
  readonly commitGroupSize: number;
  readonly pulse: WriterPulse;
  /** The memory of a `StoreVersion`, which moves with each commit. */
  readonly storeVersion: SharedArrayBuffer;
  /** The memory of a `FilePlace`: which data file it has opened, for the workers. */
  readonly dataFilePlace: SharedArrayBuffer;
  /** Where the operator's commands come from. */
  readonly operatorPort: MessagePort;
  /** Its cells of `writerMetrics`. */
  readonly metrics: SharedArrayBuffer;
}

/** Shared with the main thread, which watches the writer: see the cells below. */
export type WriterPulse = SharedArrayBuffer;
/** Moves while the writer lives, in long transactions too. */
export const pulseProgressCell = 0;
/** The ticket of the newest command that was begun: one that is not begun at its deadline never will be. */
export const pulseBegunCell = 1;
export const pulseBytes = 8;

/**
 * Commands whose body is larger wait in a queue of their own: reading a megabyte takes tens of milliseconds, the bodies
 * that people send far less than one.
 */
export const largeBodyBytes = 32 * 1024;

/** What was counted in memory since it was last recorded. */
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
  /** A session was used: its last use moves. */
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

export function isLarge(command: WriterCommand): boolean {
  return 'call' in command && (command.call.body?.length ?? 0) > largeBodyBytes;
}

/** To the writer. */
export type WriterRequest =
  | { readonly kind: 'commands'; readonly commands: readonly WriterCommand[] }
  /** Fill the gauges; answered by `measured`. */
  | { readonly kind: 'measure' }
  | { readonly kind: 'stop' };

/** What became of a command. */
export type WriterResult =
  | { readonly kind: 'answered'; readonly answer: ApiAnswer }
  | { readonly kind: 'recorded' }
  | { readonly kind: 'letters'; readonly page: OutboxPage }
  /** Its deadline had passed; nothing was applied. */
  | { readonly kind: 'dropped' }
  /** The organisation has written as much as it may on a day; nothing was applied. */
  | { readonly kind: 'quota-reached'; readonly retryAfter: number }
  /** Below the reserve of free disk space; nothing was applied. */
  | { readonly kind: 'storage-full' }
  /** The data file is not in its place; nothing was applied. */
  | { readonly kind: 'storage-moved' }
  /** Another process is opening the data file and does not get on with it; nothing was applied. */
  | { readonly kind: 'storage-held' }
  /** The decision or the commit failed; nothing was applied. */
  | { readonly kind: 'failed'; readonly message: string };

/** From the writer. The results of one commit come together. */
export type WriterReply =
  | {
      readonly kind: 'ready';
      readonly storeId: string;
      /** When there are none, somebody is to become the first Owner. */
      readonly hasMembers: boolean;
    }
  | {
      readonly kind: 'results';
      /** Of one commit. */
      readonly results: readonly (readonly [ticket: number, WriterResult])[];
      /** In the queue that they were taken from: the commit held as many as one may. */
      readonly areMoreWaiting: boolean;
    }
  | { readonly kind: 'measured' }
  | { readonly kind: 'log'; readonly lines: LogLines }
  /** A commit has put something into the outbox. */
  | { readonly kind: 'outbox-grew' }
  /** The store could not be opened, or failed in a way that only a restart mends. */
  | { readonly kind: 'fatal'; readonly message: string };
