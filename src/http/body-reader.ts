import type { BodySink, Exchange } from './exchange.ts';

/** The memory that one request's body may take. */
export interface BodyBudget {
  /** @returns whether there was room; then `give` must follow. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** Why a body was not read. */
export type UnreadBody =
  | 'too-large'
  /** Too few bytes arrived within an interval. */
  | 'stalled'
  /** There is no memory for the body, or its client has its quota of it. */
  | 'over-budget'
  /** It arrives in too many chunks for its length, each of which is a call from the addon. The rest is not read. */
  | 'scattered';

/** A request that waits for its body. One of `receive` and `refuse` is called, once, unless the client goes away first. */
export interface BodyReceiver {
  /** Asked once, if bytes have to be kept. */
  budget(): BodyBudget;
  /**
   * @param bytes those that were not copied (`viewBytesMax`) are valid during the call only
   * @param release must be called when the bytes are no longer needed: until then they count in the budget
   */
  receive(bytes: Uint8Array, release: () => void): void;
  /** The answer to the request ends its connection. */
  refuse(why: UnreadBody): void;
}

export interface BodyLimits {
  readonly bytesMax: number;
  /**
   * A body of at most this many bytes that comes whole, with its head, is handed on without a copy. 0: every body is
   * copied.
   */
  readonly viewBytesMax: number;
  readonly stalls: Stalls;
  /** Receives how long each part took that was copied, in milliseconds. */
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
 * Collects a request's body. Call it in the request's handler, before it returns. The rest of a refused body is read and
 * dropped, so that the client sees the answer, unless it comes in too many chunks.
 * @param declaredBytes from Content-Length; null when the body is chunked
 */
export function readBody(
  exchange: Exchange,
  declaredBytes: number | null,
  limits: BodyLimits,
  receiver: BodyReceiver,
): void {
  const body = new ArrivingBody(exchange, declaredBytes, limits, receiver);
  limits.stalls.add(body);
  exchange.onBody(body);
  if (declaredBytes !== null && declaredBytes > limits.bytesMax) body.refuse('too-large');
}

/** A body on its way. */
class ArrivingBody implements BodySink {
  readonly #exchange: Exchange;
  readonly #limits: BodyLimits;
  readonly #declaredBytes: number | null;
  readonly #receiver: BodyReceiver;
  /** The bytes before the last piece; null: none. */
  #arrived: ArrivedBytes | null = null;
  #received = 0;
  #chunks = 0;
  #isOver = false;
  #looks = 0;
  #lengthAtLook = 0;

  constructor(exchange: Exchange, declaredBytes: number | null, limits: BodyLimits, receiver: BodyReceiver) {
    this.#exchange = exchange;
    this.#limits = limits;
    this.#declaredBytes = declaredBytes;
    this.#receiver = receiver;
  }

  take(piece: Uint8Array, isLast: boolean): void {
    if (this.#declaredBytes === null && this.#isTooScattered(piece)) return;
    if (this.#isOver) return;
    if (isLast && this.#arrived === null && this.#isView(piece)) {
      this.#end();
      this.#receiver.receive(piece, nothing);
      return;
    }
    const startedAt = performance.now();
    this.#add(piece, isLast);
    this.#limits.onStep?.(performance.now() - startedAt);
  }

  #isView({ length }: Uint8Array): boolean {
    const { viewBytesMax } = this.#limits;
    return viewBytesMax > 0 && length <= viewBytesMax;
  }

  /** Each chunk of the rest of a refused body is a call, too. */
  #isTooScattered(piece: Uint8Array): boolean {
    this.#received += piece.length;
    this.#chunks += 1;
    const isScattered = this.#chunks > chunksFree + this.#received / bytesOfChunkMin;
    if (isScattered) {
      this.#exchange.stopReading();
      this.refuse('scattered');
    }
    return isScattered;
  }

  #add(piece: Uint8Array, isLast: boolean): void {
    const { bytesMax } = this.#limits;
    this.#arrived ??= new ArrivedBytes(
      Math.min(this.#declaredBytes ?? bytesMax, bytesMax),
      this.#receiver.budget(),
    );
    const arrived = this.#arrived;
    if (arrived.length + piece.length > bytesMax) this.refuse('too-large');
    else if (!arrived.add(piece)) this.refuse('over-budget');
    else if (isLast) {
      this.#end();
      this.#receiver.receive(arrived.take(), () => arrived.release());
    }
  }

  refuse(why: UnreadBody): void {
    if (this.#isOver) return;
    this.abort();
    this.#exchange.isLast = true;
    this.#receiver.refuse(why);
  }

  /** uWebSockets.js keeps the handler, and with it the bytes, until the client has sent its last byte. */
  abort(): void {
    if (this.#isOver) return;
    this.#end();
    this.#arrived?.release();
  }

  #end(): void {
    this.#isOver = true;
    this.#limits.stalls.delete(this);
  }

  /** Called twice in an interval. */
  look(): void {
    this.#looks += 1;
    if (this.#looks <= looksOfInterval) return;
    const length = this.#arrived?.length ?? 0;
    if (length - this.#lengthAtLook < progressBytesMin) this.refuse('stalled');
    this.#looks = 0;
    this.#lengthAtLook = length;
  }
}

function nothing(): void {}

const looksOfInterval = 2;

/**
 * Finds bodies that do not arrive, with one timer for all: in an interval, or half as long again, a body must bring
 * `progressBytesMin` or end. A body that comes with its head is the newest when it has come.
 */
export class Stalls {
  readonly #bodies = new Set<ArrivingBody>();
  #newest: ArrivingBody | null = null;
  readonly #lookMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(intervalMs: number) {
    this.#lookMs = intervalMs / looksOfInterval;
  }

  add(body: ArrivingBody): void {
    if (this.#newest !== null) this.#bodies.add(this.#newest);
    this.#newest = body;
    this.#timer ??= setInterval(() => this.#look(), this.#lookMs).unref();
  }

  delete(body: ArrivingBody): void {
    if (this.#newest === body) this.#newest = null;
    else this.#bodies.delete(body);
  }

  #look(): void {
    if (this.#newest !== null) this.#bodies.add(this.#newest);
    this.#newest = null;
    for (const body of [...this.#bodies]) body.look();
    if (this.#bodies.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** The smallest buffer for a body whose length is not known to be less. */
const roomBytesMin = 1024;

/**
 * Bytes of one body, in one buffer that doubles: however small the pieces are, the copies take at most twice the body's
 * length. Once half of a body has come, there is room for the whole. The whole buffer counts in the budget.
 */
class ArrivedBytes {
  readonly #bytesMax: number;
  readonly #budget: BodyBudget;
  #bytes: Uint8Array = noBytes;
  /**
   * Bytes that it takes of the budget. A number of its own, because a buffer that was transferred to another thread has
   * length 0 here.
   */
  #held = 0;
  length = 0;

  /** @param bytesMax at most this many bytes are added */
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
