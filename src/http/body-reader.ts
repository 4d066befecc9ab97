import type { Exchange } from './exchange.ts';

/** The memory that one request's body may take. */
export interface BodyBudget {
  /** @returns whether there was room; then `give` must follow. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export type BodyOutcome =
  /** `release` must be called when the bytes are no longer needed: until then they count in the budget. */
  | { readonly kind: 'complete'; readonly bytes: Uint8Array; release(): void }
  | { readonly kind: 'too-large' }
  /** The body stalled: too few bytes arrived within an interval. */
  | { readonly kind: 'stalled' }
  /** There is no room for the body, or its client has its quota of the room. */
  | { readonly kind: 'over-budget' }
  /**
   * The body arrives in too many chunks for its length, each of which is a call from the addon. The rest is not read.
   */
  | { readonly kind: 'scattered' };

export interface BodyLimits {
  readonly bytesMax: number;
  readonly budget: BodyBudget;
  /** In each interval a body must bring `progressBytesMin` or end; otherwise it has stalled. */
  readonly intervalMs: number;
  /** Receives how long each part took, in milliseconds. */
  onStep?(ms: number): void;
}

const progressBytesMin = 64 * 1024;

/**
 * Chunks may be small, but not all chunks of a long body: this many are free, and one more for each `bytesOfChunkMin`
 * bytes.
 */
const chunksFree = 4096;
const bytesOfChunkMin = 8;
const noBytes = new Uint8Array(0);

/**
 * Collects a request's body. Call it in the request's handler, before it returns. After any outcome but `complete` the
 * answer ends the connection. The rest of the body is read and dropped meanwhile, so that the client sees the answer,
 * unless it comes in too many chunks.
 * @param declaredBytes from Content-Length; null when the body is chunked
 * @param onOutcome called once, unless the client goes away first
 */
export function readBody(
  exchange: Exchange,
  declaredBytes: number | null,
  limits: BodyLimits,
  onOutcome: (outcome: BodyOutcome) => void,
): void {
  const arrived = new ArrivedBytes(
    Math.min(declaredBytes ?? limits.bytesMax, limits.bytesMax),
    limits.budget,
  );
  let lengthAtInterval = 0;
  let received = 0;
  let chunks = 0;
  let isScattered = false;
  let isOver = false;

  const finish = (outcome: BodyOutcome | null): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    // uWebSockets.js keeps the handler, and with it the bytes, until the client has sent its last byte.
    if (outcome?.kind !== 'complete') {
      arrived.release();
      exchange.connection.isLast = true;
    }
    if (outcome !== null) onOutcome(outcome);
  };
  const timer = setInterval(() => {
    if (arrived.length - lengthAtInterval < progressBytesMin) finish({ kind: 'stalled' });
    lengthAtInterval = arrived.length;
  }, limits.intervalMs);

  exchange.onAborted(() => finish(null));
  const take = (piece: Uint8Array, isLast: boolean): void => {
    if (arrived.length + piece.length > limits.bytesMax) finish({ kind: 'too-large' });
    else if (!arrived.add(piece)) finish({ kind: 'over-budget' });
    else if (isLast) finish({ kind: 'complete', bytes: arrived.take(), release: () => arrived.release() });
  };
  exchange.onBody((piece, isLast) => {
    if (isScattered) return;
    received += piece.length;
    if (declaredBytes === null) chunks += 1;
    // Of the rest of a refused body, too, each chunk is a call.
    isScattered = chunks > chunksFree + received / bytesOfChunkMin;
    if (isScattered) {
      exchange.stopReading();
      finish({ kind: 'scattered' });
    }
    if (isOver) return;
    const startedAt = performance.now();
    take(piece, isLast);
    limits.onStep?.(performance.now() - startedAt);
  });
  if (declaredBytes !== null && declaredBytes > limits.bytesMax) finish({ kind: 'too-large' });
}

/** The smallest buffer for a body whose length is not known to be less. */
const roomBytesMin = 1024;

/**
 * Bytes of one body, in one buffer that doubles: however small the pieces are, the copies take at most twice the body's
 * length. Once half of a body has come, there is room for the whole. The whole buffer counts in the budget.
 */
export class ArrivedBytes {
  readonly #bytesMax: number;
  readonly #budget: BodyBudget;
  #bytes: Uint8Array = noBytes;
  /**
   * Bytes that it takes of the budget. A number of its own, because a buffer that was transferred to another thread has
   * length 0 here.
   */
  #held = 0;
  length = 0;

  /** @param bytesMax at most so many bytes are added */
  constructor(bytesMax: number, budget: BodyBudget) {
    this.#bytesMax = bytesMax;
    this.#budget = budget;
  }

  /** Copies a piece. @returns false when the budget has no room for it */
  add(piece: Uint8Array): boolean {
    const length = this.length + piece.length;
    if (length > this.#bytes.length && !this.#grow(length)) return false;
    this.#bytes.set(piece, this.length);
    this.length = length;
    return true;
  }

  #grow(length: number): boolean {
    const doubled = Math.max(
      length,
      Math.min(this.#bytesMax, Math.max(roomBytesMin, 2 * this.#bytes.length)),
    );
    const size = 2 * length >= this.#bytesMax ? this.#bytesMax : doubled;
    if (!this.#budget.take(size - this.#held)) return false;
    this.#held = size;
    const bytes = newBytes(size);
    bytes.set(this.bytes);
    this.#bytes = bytes;
    return true;
  }

  /** A view, valid until more bytes come, or they are given back. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  /** @returns the bytes in a buffer of their length, which may go to another thread */
  take(): Uint8Array {
    if (this.#bytes.length !== this.length) {
      this.#budget.give(this.#held - this.length);
      this.#held = this.length;
      this.#bytes = this.#bytes.slice(0, this.length);
    }
    return this.#bytes;
  }

  /** Gives the bytes back. */
  release(): void {
    this.#budget.give(this.#held);
    this.#held = 0;
    this.#bytes = noBytes;
  }
}

/** Longer buffers are not cleared first. V8 keeps those of up to 64 bytes on its heap. */
const clearedBytesMax = 4096;

function newBytes(size: number): Uint8Array {
  if (size <= clearedBytesMax) return new Uint8Array(size);
  // A Buffer's slice would share its memory, and only the whole may be transferred.
  return new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
}
