import type { MessagePort } from 'node:worker_threads';
import type { ConsoleAnswerHead, ConsoleCall } from '../contracts/console/console-call.ts';
import type { ConsoleSettings } from '../contracts/console/public-handler.ts';
import type { ManagementCall } from '../contracts/management/management-call.ts';
import type { Denial } from '../domain/token/denial.ts';
import type { MailboxMemory } from './mailbox.ts';

/** What an evaluator needs to start: everything is plain data or shared memory. */
export interface EvaluatorSetup {
  readonly index: number;
  readonly directory: string;
  readonly mapBytes: number;
  readonly cacheBytes: number;
  readonly batchSize: number;
  readonly docsUrl: string;
  readonly logLevel: string;
  readonly console: ConsoleSettings;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly mailbox: MailboxMemory;
  /** The memory of a `StoreVersion`, which moves with each commit. */
  readonly storeVersion: SharedArrayBuffer;
  /** Which data file the writer has opened: the memory of a `FilePlace`. */
  readonly dataFilePlace: SharedArrayBuffer;
  readonly port: MessagePort;
  /** Its cells of `evaluatorMetrics`. */
  readonly metrics: SharedArrayBuffer;
}

/**
 * Gateway to evaluator, through the port: what does not fit a slot. Each message is announced by a slot of kind
 * `portMessage`, so both ways keep one order of service.
 */
export type EvaluatorRequest =
  | { readonly kind: 'evaluate-flag'; readonly id: number; readonly flagId: string; readonly query: string }
  | {
      readonly kind: 'evaluate-project';
      readonly id: number;
      readonly projectId: string;
      readonly query: string;
    }
  | { readonly kind: 'management-read'; readonly id: number; readonly call: ManagementCall }
  | { readonly kind: 'console-read'; readonly id: number; readonly call: ConsoleCall }
  /** The client took a chunk of a long answer: one more may be sent. */
  | { readonly kind: 'more'; readonly id: number }
  /** The client is gone: the rest of a long answer is not wanted. */
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'stop' };

/** The beginning of an answer through the port. */
export interface EvaluatorAnswerHead {
  readonly status: number;
  readonly isFailedAuthentication: boolean;
  readonly tokenId: string | null;
  readonly denial: Denial | null;
  /** Of the one flag in the body. */
  readonly entityTag: string | null;
  /** Of an answer to the console. */
  readonly console?: ConsoleAnswerHead;
}

/** Answers since the last message of the kind, flag by flag and environment by environment. */
export interface CountedEvaluations {
  /** 20 characters each, without anything in between. */
  readonly flagIds: string;
  /** For each: its environment's number, how often it was on, how often off. */
  readonly numbers: Float64Array;
}

/** Evaluator to gateway, through the port. */
export type EvaluatorReply =
  /** The store is open and the mailbox is served. */
  | { readonly kind: 'ready' }
  /** Slots were answered since the gateway asked to be woken. */
  | { readonly kind: 'woken' }
  /** A chunk of at most `chunkBytesMax`; the first one of a request carries the head. */
  | {
      readonly kind: 'chunk';
      readonly id: number;
      readonly head: EvaluatorAnswerHead | null;
      readonly bytes: Uint8Array;
      readonly isLast: boolean;
    }
  /** The answer of the slot with this count did not fit it. */
  | {
      readonly kind: 'oversized';
      readonly count: number;
      readonly status: number;
      readonly bytes: Uint8Array;
    }
  /** It threw, before or after its first chunk; the evaluator has logged it. */
  | { readonly kind: 'failed'; readonly id: number }
  | { readonly kind: 'counted'; readonly counted: CountedEvaluations }
  /** A long answer ends here, incomplete: its client was too slow for its snapshot. */
  | { readonly kind: 'cut'; readonly id: number; readonly reason: string }
  /** Its last message. */
  | { readonly kind: 'ended' };

/** Small enough that encoding one, and writing it to a socket, delays nobody by a millisecond. */
export const chunkBytesMax = 64 * 1024;
/** Chunks of one answer that may be on their way to the gateway or its client. */
export const chunksAheadMax = 4;

/** How many threads have come to a meeting, in shared memory, and how many there are. */
export interface Meeting {
  readonly arrived: SharedArrayBuffer;
  readonly threads: number;
}
