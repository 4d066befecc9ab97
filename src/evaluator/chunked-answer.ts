import { ChunkBuffer } from './chunk-buffer.ts';
import { chunksAheadMax, type EvaluatorAnswerHead } from './evaluator-protocol.ts';

/** Where a chunk goes; its memory goes with it. */
export type SendChunk = (
  head: EvaluatorAnswerHead | null,
  bytes: Uint8Array<ArrayBuffer>,
  isLast: boolean,
) => void;

/** An answer of any length, before it is made. */
export interface LongAnswerParts {
  readonly head: EvaluatorAnswerHead;
  /** JSON, cut anywhere; a piece of bytes is valid until the next one is asked for. */
  readonly pieces: Iterable<string | Uint8Array>;
  /** Lets go of what the pieces are read from. */
  readonly release: () => void;
}

/**
 * A long answer, made piece by piece, in slices between batches, and sent in chunks no faster than the client takes
 * them. It delays no evaluation by more than a slice.
 */
export class ChunkedAnswer {
  readonly #pieces: Iterator<string | Uint8Array>;
  readonly #release: () => void;
  readonly #send: SendChunk;
  readonly #buffer = new ChunkBuffer();
  #head: EvaluatorAnswerHead | null;
  #chunksAllowed = chunksAheadMax;
  isDone = false;

  constructor({ head, pieces, release }: LongAnswerParts, send: SendChunk) {
    this.#head = head;
    this.#pieces = pieces[Symbol.iterator]();
    this.#release = release;
    this.#send = send;
  }

  get isRunnable(): boolean {
    return !this.isDone && this.#chunksAllowed > 0;
  }

  allowMore(): void {
    this.#chunksAllowed += 1;
  }

  /** Works until `isTimeUp` says so, a chunk may not be sent yet, or the answer is complete. */
  runSlice(isTimeUp: () => boolean): void {
    while (this.isRunnable && !isTimeUp()) {
      const piece = this.#pieces.next();
      if (piece.done === true) {
        this.#post(this.#buffer.take(), true);
        this.close();
        return;
      }
      this.#buffer.add(piece.value);
      while (this.#buffer.isOverfull) this.#post(this.#buffer.take(), false);
    }
  }

  #post(bytes: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    this.#send(this.#head, bytes, isLast);
    this.#head = null;
    this.#chunksAllowed -= 1;
  }

  /** Called once the answer is complete, failed, or not wanted any more. */
  close(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#pieces.return?.();
    this.#release();
  }
}
