/**
 * What a test may do to the threads of a server that was booted with `tampering-preload.ts`: memory that all of its
 * threads share. The product knows nothing of it.
 */
export interface Tampering {
  readonly cells: Int32Array<SharedArrayBuffer>;
  readonly clock: Float64Array<SharedArrayBuffer>;
}

export const environmentKey = 'tampering';
export const socketVariable = 'TAMPERING_SOCKET';
/** How much faster than the real one the monotonic clock runs, so that a test need not wait a minute. */
export const speedVariable = 'TAMPERING_SPEED';
/** Milliseconds by which the wall clock is off when the process starts. */
export const wallOffsetVariable = 'TAMPERING_WALL_OFFSET_MS';

export const cellOf = { kind: 0, moment: 1, countdown: 2, struck: 3, isReleased: 4, loopsBegun: 5 } as const;
export const clockCellOf = { wallOffsetMs: 0, speed: 1, monotonicOriginMs: 2 } as const;
const cellsBytes = 64;

export const tamperingBytes = cellsBytes + 64;

export function openTampering(memory: SharedArrayBuffer): Tampering {
  return { cells: new Int32Array(memory, 0, 6), clock: new Float64Array(memory, cellsBytes, 3) };
}

/** `throw-later`: from the event loop, which only the writer has. `hang` waits, `spin` keeps its core busy. */
export const faultKinds = ['none', 'throw', 'throw-later', 'exit', 'hang', 'spin'] as const;
export type FaultKind = (typeof faultKinds)[number];

/**
 * Where a thread is when the fault strikes. Of an evaluator: before it looks into its mailbox, before it publishes the
 * answers of a batch, after that, about to sleep. Of the writer: a command of an open transaction was begun, a commit is
 * durable but not acknowledged.
 */
export const moments = ['turn', 'answers', 'published', 'asleep', 'begun', 'durable'] as const;
export type Moment = (typeof moments)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly moment: Moment;
  /** It strikes when the moment comes for this time, from 1. */
  readonly countdown: number;
}

/** Test to process, a line of JSON each; every one is answered with a line: a `TamperingReport`. */
export type TamperingOrder =
  | ({ readonly order: 'arm' } & Fault)
  /** Hung threads go on. */
  | { readonly order: 'release' }
  | { readonly order: 'set-wall-clock'; readonly offsetMs: number }
  | { readonly order: 'report' };

export interface TamperingReport {
  /** Faults that have struck. */
  readonly struck: number;
  /** Evaluators that have begun to serve, since the process began. */
  readonly loopsBegun: number;
}
