/** Small enough that encoding one, and writing it to a socket, delays nobody by a millisecond. */
const chunkBytesMax = 64 * 1024;

/** Pieces that are added to a chunk which is all but full fit too, so that all chunks are put together in one memory. */
const roomBytes = chunkBytesMax + 16 * 1024;

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
    const needed = this.#length + bytes;
    const hasRoom = this.#start + needed <= this.#bytes.length;
    // What a long piece took is let go of once that was taken.
    const isTooLarge = this.#bytes.length > roomBytes && needed <= roomBytes;
    if (hasRoom && !isTooLarge) return;
    const isFitting = needed <= this.#bytes.length && !isTooLarge;
    this.#move(
      isFitting ? this.#bytes.length : Math.max(needed, Math.min(4 * this.#bytes.length, roomBytes)),
    );
  }

  /** To the beginning of memory of so many bytes. */
  #move(capacity: number): void {
    const gathered = this.#bytes.subarray(this.#start, this.#start + this.#length);
    if (capacity !== this.#bytes.length) this.#bytes = new Uint8Array(capacity);
    this.#bytes.set(gathered);
    this.#start = 0;
  }

  /** @returns at most a chunk of what was gathered first, valid until something is added */
  take(): Uint8Array<ArrayBuffer> {
    const length = Math.min(this.#length, chunkBytesMax);
    const taken = this.#bytes.subarray(this.#start, this.#start + length);
    this.#start += length;
    this.#length -= length;
    // What is left stays where it is: moving it for each chunk of a large piece would take the square of its length.
    return taken;
  }
}
