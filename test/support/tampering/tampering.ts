/**
 * Control over the threads of a server that was booted with `tampering-preload.ts`, in memory that all its threads
 * share. Burgee's own code does not know of it.
 */
export interface Tampering {
  readonly cells: Int32Array<SharedArrayBuffer>;
  readonly clock: Float64Array<SharedArrayBuffer>;
}

export const environmentKey = 'tampering';
export const socketVariable = 'TAMPERING_SOCKET';
/** How much faster than real time the monotonic clock runs, so that a test need not wait a minute. */
export const speedVariable = 'TAMPERING_SPEED';
/** The offset of the wall clock at the start of the process, in ms. */
export const wallOffsetVariable = 'TAMPERING_WALL_OFFSET_MS';

export const cellOf = { struck: 0, isReleased: 1, workersBegun: 2, firstMoment: 3 } as const;
/** The fault of each moment, one after another from `firstMoment` on. */
export const momentCellOf = { kind: 0, countdown: 1, threads: 2 } as const;
export const cellsOfMoment = 3;
export const clockCellOf = { wallOffsetMs: 0, speed: 1, monotonicOriginMs: 2 } as const;
const cellsBytes = 128;

export const tamperingBytes = cellsBytes + 64;

export function openTampering(memory: SharedArrayBuffer): Tampering {
  return {
    cells: new Int32Array(memory, 0, cellsBytes / Int32Array.BYTES_PER_ELEMENT),
    clock: new Float64Array(memory, cellsBytes, 3),
  };
}

/**
 * `throw` from where the thread is, `throw-later` from its event loop, `reject` by a promise that nobody handles. `hang`
 * waits, `spin` keeps its core busy. `exhaust` fills the heap step by step until the thread asks to leave. `miscount`
 * makes a worker's count of its connections wrong, `lie` tells the main thread what cannot be, and `repeat` sends a
 * message twice.
 */
export const faultKinds = [
  'none',
  'throw',
  'throw-later',
  'reject',
  'exit',
  'hang',
  'spin',
  'exhaust',
  'miscount',
  'lie',
  'repeat',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/**
 * Where a thread is when the fault strikes. Of a worker: it opens its store, it looks at the store's version on the way of
 * a request, it beats, it is about to send a change. Of the writer: a command of an open transaction was begun, a commit
 * is durable but not acknowledged, its results are about to be sent.
 */
export const moments = ['start', 'request', 'beat', 'change', 'begun', 'durable', 'told'] as const;
export type Moment = (typeof moments)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly moment: Moment;
  /** The fault occurs the n-th time that the moment comes, from 1. */
  readonly countdown: number;
  /** How many threads get the fault, each once; one unless given. */
  readonly threads?: number;
}

/** Orders from test to process, one line of JSON each. Each is answered with a line, a `TamperingReport`. */
export type TamperingOrder =
  | ({ readonly order: 'arm' } & Fault)
  /** Hung threads continue. */
  | { readonly order: 'release' }
  | { readonly order: 'set-wall-clock'; readonly offsetMs: number }
  | { readonly order: 'report' };

export interface TamperingReport {
  /** How many threads have had a fault. */
  readonly struck: number;
  /** How many workers have begun to serve since the process began. */
  readonly workersBegun: number;
}
