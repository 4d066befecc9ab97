const lineFeed = 0x0a;

/** The part of the body that the next byte belongs to. */
const size = 0;
const sizeRest = 1;
const data = 2;
const dataEnd = 3;
const trailer = 4;

/** A larger size is refused as malformed. */
const chunkBytesMax = 2 ** 32;

/** Skips one body in chunked transfer coding, over any number of reads. */
export class ChunkedBody {
  #state: number = size;
  /** The chunk's size as read so far, then the bytes that are left of its data. */
  #bytesLeft = 0;
  /** The length of the trailer's current line, without its end. */
  #lineLength = 0;

  begin(): void {
    this.#state = size;
    this.#bytesLeft = 0;
  }

  /**
   * @returns the index after the body's last byte, or -1 if the body continues after `to`
   * @throws when a chunk has no size
   */
  read(bytes: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to) {
      if (this.#state === data) {
        at += this.#skipData(to - at);
      } else {
        const isOver = this.#readByte(bytes[at] ?? 0);
        at += 1;
        if (isOver) return at;
      }
    }
    return -1;
  }

  #skipData(available: number): number {
    const skipped = Math.min(available, this.#bytesLeft);
    this.#bytesLeft -= skipped;
    if (this.#bytesLeft === 0) this.#state = dataEnd;
    return skipped;
  }

  /** @returns whether the body ends with this byte */
  #readByte(byte: number): boolean {
    if (this.#state === trailer) return this.#readTrailer(byte);
    if (this.#state === dataEnd) {
      if (byte === lineFeed) this.begin();
    } else if (byte === lineFeed) {
      this.#state = this.#bytesLeft === 0 ? trailer : data;
      this.#lineLength = 0;
    } else if (this.#state === size) {
      this.#readDigit(byte);
    }
    return false;
  }

  #readDigit(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) this.#bytesLeft = this.#bytesLeft * 16 + digit;
    else if (byte === 0x0d || byte === 0x3b || byte === 0x20) this.#state = sizeRest;
    if (digit < 0 && this.#state === size) throw new Error('a chunk of an answer has no size');
    if (this.#bytesLeft > chunkBytesMax) throw new Error('a chunk of an answer is too long');
  }

  /** The trailer ends with an empty line. */
  #readTrailer(byte: number): boolean {
    if (byte === lineFeed) {
      if (this.#lineLength === 0) return true;
      this.#lineLength = 0;
    } else if (byte !== 0x0d) {
      this.#lineLength += 1;
    }
    return false;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
