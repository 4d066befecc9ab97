import type { MessagePort } from 'node:worker_threads';
import type { ManagementAnswer, ManagementCall } from '../contracts/management/management-call.ts';
import type { Denial } from '../domain/token/denial.ts';

/** What the writer's thread needs to start. */
export interface WriterSetup {
  readonly directory: string;
  readonly mapBytes: number;
  readonly startCheckBytes: number;
  readonly docsUrl: string;
  readonly logLevel: string;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly storageReserveBytes: number;
  /** Commands of one commit, at most: bounded, so that the first does not wait for the thousandth. */
  readonly commitGroupSize: number;
  readonly pulse: WriterPulse;
  /** One Int32 cell, raised after each durable commit, before it is acknowledged. */
  readonly storeVersion: SharedArrayBuffer;
  /** Where the operator's commands come from. */
  readonly operatorPort: MessagePort;
  /** Its cells of `writerMetrics`. */
  readonly metrics: SharedArrayBuffer;
}

/** Shared with whoever watches the writer: see the cells below. */
export type WriterPulse = SharedArrayBuffer;
/** Moves while the writer lives, in long transactions too. */
export const pulseProgressCell = 0;
/** The ticket of the newest command that was begun: one that is not begun at its deadline never will be. */
export const pulseBegunCell = 1;
export const pulseBytes = 8;

/** Tickets count up; deadlines are on the monotonic clock. */
export type WriterCommand =
  | {
      readonly kind: 'write';
      readonly ticket: number;
      readonly deadline: number;
      readonly call: ManagementCall;
    }
  | { readonly kind: 'denial'; readonly ticket: number; readonly deadline: number; readonly denial: Denial };

/** To the writer. */
export type WriterRequest =
  | { readonly kind: 'commands'; readonly commands: readonly WriterCommand[] }
  /** Fill the gauges; answered by `measured`. */
  | { readonly kind: 'measure' }
  | { readonly kind: 'stop' };

/** What became of a command. */
export type WriterResult =
  | { readonly kind: 'answered'; readonly answer: ManagementAnswer }
  | { readonly kind: 'recorded' }
  /** Its deadline had passed; nothing was applied. */
  | { readonly kind: 'dropped' }
  /** Below the reserve of free disk space; nothing was applied. */
  | { readonly kind: 'storage-full' }
  /** The decision or the commit failed; nothing was applied. */
  | { readonly kind: 'failed'; readonly message: string };

/** From the writer. The results of one commit come together. */
export type WriterReply =
  | { readonly kind: 'ready'; readonly storeId: string }
  | { readonly kind: 'results'; readonly results: readonly (readonly [ticket: number, WriterResult])[] }
  | { readonly kind: 'measured' }
  /** The store could not be opened, or failed in a way that only a restart mends. */
  | { readonly kind: 'fatal'; readonly message: string };
