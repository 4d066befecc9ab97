/** Small enough that encoding one, and writing it to a socket, delays nobody by a millisecond. */
const chunkBytesMax = 64 * 1024;

const encoder = new TextEncoder();
const bytesAtFirst = 4096;

/** Gathers an answer's pieces, and gives them away in chunks of at most `chunkBytesMax`. */
export class ChunkBuffer {
  #bytes = new Uint8Array(bytesAtFirst);
  #length = 0;

  /** There is more than one chunk's worth, so the first is certainly not the last. */
  get isOverfull(): boolean {
    return this.#length > chunkBytesMax;
  }

  add(piece: string | Uint8Array): void {
    if (typeof piece !== 'string') {
      this.#reserve(piece.length);
      this.#bytes.set(piece, this.#length);
      this.#length += piece.length;
      return;
    }
    // A code unit takes three bytes at most.
    this.#reserve(piece.length * 3);
    this.#length += encoder.encodeInto(piece, this.#bytes.subarray(this.#length)).written;
  }

  #reserve(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, Math.min(4 * this.#bytes.length, chunkBytesMax)));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  /** @returns at most a chunk of what was gathered first, in memory of its own */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes;
    const length = Math.min(this.#length, chunkBytesMax);
    const rest = this.#length - length;
    this.#bytes = new Uint8Array(Math.max(rest, this.isOverfull ? chunkBytesMax : 0));
    this.#bytes.set(taken.subarray(length, this.#length));
    this.#length = rest;
    return taken.subarray(0, length);
  }
}
