import { utf8BytesMax } from '../../support/utf8.ts';

/** Small enough that encoding a chunk and writing it to a socket takes less than a millisecond. */
export const chunkBytesMax = 64 * 1024;
/** Room for a chunk, and for the piece that fills it. */
const bufferBytes = 2 * chunkBytesMax;
/** Buffers that a thread keeps for later answers. */
const freeBuffersMax = 16;

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);
/** Reused: new memory for each answer would be gigabytes a second, and cause major collections all the time. */
const freeBuffers: Uint8Array<ArrayBuffer>[] = [];

/** Gathers an answer's pieces, and gives them out in chunks of at most `chunkBytesMax`. */
export class ChunkBuffer {
  #bytes = nothing;
  /** The start of the bytes that were not taken yet. */
  #start = 0;
  #length = 0;

  /** It holds more than one chunk, so the first is certainly not the last. */
  get isOverfull(): boolean {
    return this.#length > chunkBytesMax;
  }

  add(piece: string | Uint8Array): void {
    if (typeof piece !== 'string') {
      this.#reserve(piece.length);
      this.#bytes.set(piece, this.#start + this.#length);
      this.#length += piece.length;
      return;
    }
    this.#reserve(piece.length * utf8BytesMax);
    const free = this.#bytes.subarray(this.#start + this.#length);
    this.#length += encoder.encodeInto(piece, free).written;
  }

  #reserve(bytes: number): void {
    if (this.#length === 0) this.#start = 0;
    if (this.#start + this.#length + bytes <= this.#bytes.length) return;
    const gathered = this.#bytes.subarray(this.#start, this.#start + this.#length);
    const into = this.#memoryOf(this.#length + bytes);
    into.set(gathered);
    if (into !== this.#bytes) this.#free();
    this.#bytes = into;
    this.#start = 0;
  }

  /** A buffer that grew for a long piece is dropped once little of the piece is left. */
  #memoryOf(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes > bufferBytes) return new Uint8Array(bytes);
    return this.#bytes.length === bufferBytes
      ? this.#bytes
      : (freeBuffers.pop() ?? new Uint8Array(bufferBytes));
  }

  /** @returns the oldest bytes, at most a chunk, in memory that is valid until the next call of `add` or `release` */
  take(): Uint8Array<ArrayBuffer> {
    const length = Math.min(this.#length, chunkBytesMax);
    const taken = this.#bytes.subarray(this.#start, this.#start + length);
    this.#start += length;
    this.#length -= length;
    // The rest stays in place: moving it for each chunk of a large piece would cost the square of the piece's length.
    return taken;
  }

  /** Drops the gathered bytes: the answer is over. */
  release(): void {
    this.#free();
    this.#bytes = nothing;
    this.#start = 0;
    this.#length = 0;
  }

  #free(): void {
    if (this.#bytes.length === bufferBytes && freeBuffers.length < freeBuffersMax)
      freeBuffers.push(this.#bytes);
  }
}
