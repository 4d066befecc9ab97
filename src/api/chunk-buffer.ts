/** Small enough that encoding one, and writing it to a socket, delays nobody by a millisecond. */
const chunkBytesMax = 64 * 1024;

/** A chunk in the making, and what the last piece of it takes at most. */
const keptAlways = 4 * chunkBytesMax;

const encoder = new TextEncoder();
const bytesAtFirst = 4096;

/** Gathers an answer's pieces, and gives them away in chunks of at most `chunkBytesMax`. */
export class ChunkBuffer {
  #bytes = new Uint8Array(bytesAtFirst);
  /** Where what was gathered begins: what is before was taken. */
  #start = 0;
  #length = 0;

  /** There is more than one chunk's worth, so the first is certainly not the last. */
  get isOverfull(): boolean {
    return this.#length > chunkBytesMax;
  }

  /** What it keeps of a piece that is longer than a chunk. */
  get extraBytes(): number {
    return Math.max(0, this.#bytes.length - keptAlways);
  }

  add(piece: string | Uint8Array): void {
    if (typeof piece !== 'string') {
      this.#reserve(piece.length);
      this.#bytes.set(piece, this.#start + this.#length);
      this.#length += piece.length;
      return;
    }
    // A code unit takes three bytes at most.
    this.#reserve(piece.length * 3);
    const free = this.#bytes.subarray(this.#start + this.#length);
    this.#length += encoder.encodeInto(piece, free).written;
  }

  #reserve(bytes: number): void {
    if (this.#start + this.#length + bytes <= this.#bytes.length) return;
    this.#move(Math.max(this.#length + bytes, Math.min(4 * this.#bytes.length, chunkBytesMax)));
  }

  /** On to memory of so many bytes. */
  #move(capacity: number): void {
    const bytes = new Uint8Array(capacity);
    bytes.set(this.#bytes.subarray(this.#start, this.#start + this.#length));
    this.#bytes = bytes;
    this.#start = 0;
  }

  /** @returns at most a chunk of what was gathered first, in memory that nothing else is written to */
  take(): Uint8Array<ArrayBuffer> {
    const wasOverfull = this.isOverfull;
    const length = Math.min(this.#length, chunkBytesMax);
    const taken = this.#bytes.subarray(this.#start, this.#start + length);
    this.#start += length;
    this.#length -= length;
    // What is left of a large piece stays where it is: moving it for each chunk would take the square of its length.
    if (!this.isOverfull) this.#move(Math.max(this.#length, wasOverfull ? chunkBytesMax : 0));
    return taken;
  }
}
