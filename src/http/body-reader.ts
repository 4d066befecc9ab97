import type { Exchange } from './exchange.ts';

/** What may be buffered of all bodies together. */
export interface BodyBudget {
  /** @returns whether there was room; then `give` must follow. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export type BodyOutcome =
  /** `release` must be called when the bytes are not needed any more: until then they count in the budget. */
  | { readonly kind: 'complete'; readonly bytes: Uint8Array; release(): void }
  | { readonly kind: 'too-large' }
  /** It stalled: too few bytes came within an interval. */
  | { readonly kind: 'stalled' }
  /** All bodies together would be more than the budget. */
  | { readonly kind: 'over-budget' }
  /** It comes in too many chunks for its length, each a call from the addon. What still comes is not read. */
  | { readonly kind: 'scattered' };

export interface BodyLimits {
  readonly bytesMax: number;
  readonly budget: BodyBudget;
  /** In each interval a body must bring `progressBytesMin` or end: the peer is cut off without an answer otherwise. */
  readonly intervalMs: number;
  /** Told how long each part that came took, in milliseconds. */
  onStep?(ms: number): void;
}

const progressBytesMin = 64 * 1024;

/** Chunks may be small, but not all of a long body's: so many, and one more for each so many bytes. */
const chunksFree = 4096;
const bytesOfChunkMin = 8;
const noBytes = new Uint8Array(0);

/**
 * Collects a request's body. Called in the request's handler, before it returns. After any outcome but `complete`, what
 * still comes is read and dropped, so that the client sees the answer.
 * @param declaredBytes from Content-Length; null when the body is chunked
 * @param onOutcome called once, unless the client goes away first
 */
export function readBody(
  exchange: Exchange,
  declaredBytes: number | null,
  limits: BodyLimits,
  onOutcome: (outcome: BodyOutcome) => void,
): void {
  const room = new BodyRoom(Math.min(declaredBytes ?? limits.bytesMax, limits.bytesMax), limits.budget);
  let lengthAtInterval = 0;
  let chunks = 0;
  let isOver = false;

  const finish = (outcome: BodyOutcome | null): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    // uWebSockets.js keeps the handler, and so the room, until the client has sent its last byte.
    if (outcome?.kind !== 'complete') room.release();
    if (outcome !== null) onOutcome(outcome);
  };
  const timer = setInterval(() => {
    if (room.length - lengthAtInterval < progressBytesMin) finish({ kind: 'stalled' });
    lengthAtInterval = room.length;
  }, limits.intervalMs);

  exchange.onAborted(() => finish(null));
  const take = (piece: Uint8Array, isLast: boolean): void => {
    if (declaredBytes === null) chunks += 1;
    if (chunks > chunksFree + room.length / bytesOfChunkMin) {
      exchange.stopReading();
      finish({ kind: 'scattered' });
    } else if (room.length + piece.length > limits.bytesMax) finish({ kind: 'too-large' });
    else if (!room.add(piece)) finish({ kind: 'over-budget' });
    else if (isLast) finish({ kind: 'complete', bytes: room.take(), release: () => room.release() });
  };
  exchange.onBody((piece, isLast) => {
    if (isOver) return;
    const startedAt = performance.now();
    take(piece, isLast);
    limits.onStep?.(performance.now() - startedAt);
  });
  if (declaredBytes !== null && declaredBytes > limits.bytesMax) finish({ kind: 'too-large' });
}

/** Smaller than this a body's room is not made, unless it is known to be enough. */
const roomBytesMin = 1024;

/**
 * Bytes of one body, in one buffer that doubles: however small the pieces are in which they come, they take at most twice
 * their length. The whole buffer counts in the budget.
 */
class BodyRoom {
  readonly #bytesMax: number;
  readonly #budget: BodyBudget;
  #bytes = noBytes;
  /** What of the budget it holds. Kept by itself: bytes that were transferred to another thread have no length here. */
  #held = 0;
  length = 0;

  /** @param bytesMax never more than these are added */
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
    const size = Math.max(length, Math.min(this.#bytesMax, Math.max(roomBytesMin, 2 * this.#bytes.length)));
    if (!this.#budget.take(size - this.#held)) return false;
    this.#held = size;
    const bytes = new Uint8Array(size);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    return true;
  }

  /** @returns what was added, in a buffer of that length: it goes to another thread, whole */
  take(): Uint8Array {
    if (this.#bytes.length > this.length) {
      this.#budget.give(this.#held - this.length);
      this.#held = this.length;
      this.#bytes = this.#bytes.slice(0, this.length);
    }
    return this.#bytes;
  }

  /** Lets go of the bytes. */
  release(): void {
    this.#budget.give(this.#held);
    this.#held = 0;
    this.#bytes = noBytes;
  }
}
