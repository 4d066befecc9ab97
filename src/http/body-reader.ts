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
  | { readonly kind: 'over-budget' };

export interface BodyLimits {
  readonly bytesMax: number;
  readonly budget: BodyBudget;
  /** In each interval a body must bring `progressBytesMin` or end: the peer is cut off without an answer otherwise. */
  readonly intervalMs: number;
}

const progressBytesMin = 64 * 1024;

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
  const pieces: Uint8Array[] = [];
  let length = 0;
  let lengthAtInterval = 0;
  let isOver = false;

  const finish = (outcome: BodyOutcome | null): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    if (outcome?.kind !== 'complete') limits.budget.give(length);
    // uWebSockets.js keeps the handler, and so this array, until the client has sent its last byte.
    pieces.length = 0;
    if (outcome !== null) onOutcome(outcome);
  };
  const release = (): void => limits.budget.give(length);
  const timer = setInterval(() => {
    if (length - lengthAtInterval < progressBytesMin) finish({ kind: 'stalled' });
    lengthAtInterval = length;
  }, limits.intervalMs);

  exchange.onAborted(() => finish(null));
  exchange.onBody((piece, isLast) => {
    if (isOver) return;
    if (length + piece.length > limits.bytesMax) finish({ kind: 'too-large' });
    else if (!limits.budget.take(piece.length)) finish({ kind: 'over-budget' });
    else {
      length += piece.length;
      pieces.push(piece.slice());
      if (isLast) finish({ kind: 'complete', bytes: joinPieces(pieces, length), release });
    }
  });
  if (declaredBytes !== null && declaredBytes > limits.bytesMax) finish({ kind: 'too-large' });
}

function joinPieces(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(length);
  let used = 0;
  for (const piece of pieces) {
    bytes.set(piece, used);
    used += piece.length;
  }
  return bytes;
}
