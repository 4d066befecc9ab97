import type { PinnedSnapshot } from '../storage/store-reader.ts';
import { chunkBytesMax, chunksAheadMax, type EvaluatorAnswerHead } from './evaluator-protocol.ts';

const encoder = new TextEncoder();
/** Code units that are certain to fit a chunk when encoded (at most three bytes each). */
const chunkUnits = Math.floor(chunkBytesMax / 3);

/** Where a chunk goes. */
export type SendChunk = (
  head: EvaluatorAnswerHead | null,
  bytes: Uint8Array<ArrayBuffer>,
  isLast: boolean,
) => void;

/**
 * A long answer, made piece by piece on one snapshot, in slices between batches, and sent in chunks no faster than the
 * client takes them. It delays no evaluation by more than a slice.
 */
export class ChunkedAnswer {
  readonly #snapshot: PinnedSnapshot;
  readonly #pieces: Iterator<string>;
  readonly #send: SendChunk;
  #head: EvaluatorAnswerHead | null;
  #text = '';
  #chunksAllowed = chunksAheadMax;
  isDone = false;

  constructor(
    head: EvaluatorAnswerHead,
    pieces: Iterable<string>,
    snapshot: PinnedSnapshot,
    send: SendChunk,
  ) {
    this.#head = head;
    this.#pieces = pieces[Symbol.iterator]();
    this.#snapshot = snapshot;
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
        this.#sendChunk(true);
        this.close();
        return;
      }
      if (this.#text.length + piece.value.length > chunkUnits) this.#sendChunk(false);
      this.#text += piece.value;
    }
  }

  #sendChunk(isLast: boolean): void {
    if (this.#text === '' && !isLast) return;
    const bytes = encoder.encode(this.#text);
    this.#text = '';
    // One flag with a megabyte of cohorts is a piece larger than a chunk.
    let start = 0;
    for (; bytes.length - start > chunkBytesMax; start += chunkBytesMax) {
      this.#post(bytes.slice(start, start + chunkBytesMax), false);
    }
    this.#post(start === 0 ? bytes : bytes.slice(start), isLast);
  }

  #post(bytes: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    this.#send(this.#head, bytes, isLast);
    this.#head = null;
    this.#chunksAllowed -= 1;
  }

  /** Lets the snapshot go. Called once the answer is complete, failed, or not wanted any more. */
  close(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#pieces.return?.();
    this.#snapshot.release();
  }
}
