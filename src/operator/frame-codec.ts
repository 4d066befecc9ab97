/**
 * A frame on the socket:
 *
 *     | header bytes: uint32 | body bytes: uint32 | header: JSON | body: bytes |
 *
 * both numbers big-endian. The header says what the frame is; the body is a file or a document.
 */
const preambleBytes = 8;

export const headerBytesMax = 2 ** 20;
const noBytes = new Uint8Array(0);

export interface Frame {
  readonly header: unknown;
  readonly body: Uint8Array;
}

/** @returns the frame in parts, so that a large body is not copied. */
export function encodeFrame(header: unknown, body: Uint8Array = noBytes): Uint8Array[] {
  const headerBytes = Buffer.from(JSON.stringify(header), 'utf8');
  const preamble = Buffer.alloc(preambleBytes);
  preamble.writeUInt32BE(headerBytes.length, 0);
  preamble.writeUInt32BE(body.length, 4);
  return [Buffer.concat([preamble, headerBytes]), body];
}

/** The other side does not speak the protocol, or says more than it may. */
export class FrameFault extends Error {}

/** Puts frames together from whatever chunks arrive; holds one at a time, of bounded size. */
export class FrameReader {
  readonly #bodyBytesMax: () => number;
  readonly #onFrame: (frame: Frame) => void;
  readonly #onBodyBytes: (received: number, total: number) => void;
  /** What is being filled: the preamble, then header and body. */
  #target: Uint8Array = new Uint8Array(preambleBytes);
  #filled = 0;
  #header: Uint8Array | null = null;
  #body: Uint8Array | null = null;

  /** @param bodyBytesMax of the frame that begins: memory for a body is taken when it is announced */
  constructor(
    bodyBytesMax: () => number,
    onFrame: (frame: Frame) => void,
    onBodyBytes: (received: number, total: number) => void = () => undefined,
  ) {
    this.#bodyBytesMax = bodyBytesMax;
    this.#onFrame = onFrame;
    this.#onBodyBytes = onBodyBytes;
  }

  /** @throws {FrameFault} on a frame that is too large or has no JSON header. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      const part = chunk.subarray(at, at + this.#target.length - this.#filled);
      this.#target.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#target === this.#body) this.#onBodyBytes(this.#filled, this.#target.length);
      while (this.#filled === this.#target.length) if (!this.#advance()) break;
    }
  }

  /** The target is full: on to the next. @returns whether it may be full already, being empty. */
  #advance(): boolean {
    if (this.#header === null) {
      this.#readPreamble();
      return true;
    }
    if (this.#body !== null && this.#target === this.#header) {
      this.#fill(this.#body);
      return true;
    }
    const frame = { header: parseHeader(this.#header), body: this.#body ?? noBytes };
    this.#header = null;
    this.#body = null;
    this.#fill(new Uint8Array(preambleBytes));
    this.#onFrame(frame);
    return false;
  }

  #readPreamble(): void {
    const view = new DataView(this.#target.buffer, this.#target.byteOffset);
    const headerBytes = view.getUint32(0);
    const bodyBytes = view.getUint32(4);
    if (headerBytes === 0 || headerBytes > headerBytesMax)
      throw new FrameFault('a frame header is too large');
    if (bodyBytes > this.#bodyBytesMax()) throw new FrameFault('a frame body is too large');
    this.#header = new Uint8Array(headerBytes);
    this.#body = new Uint8Array(bodyBytes);
    this.#fill(this.#header);
  }

  #fill(target: Uint8Array): void {
    this.#target = target;
    this.#filled = 0;
  }
}

function parseHeader(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new FrameFault('a frame header is no JSON');
  }
}
