import type { Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { Coding } from '../../http/content-coding.ts';

/**
 * On lists of flags, brotli's level 5 makes 7 % fewer bytes for nearly twice the time, and gzip's level 6 takes as long
 * as that.
 */
const brotliQuality = 4;
/** 256 KiB: a larger window made no difference. */
const brotliWindowBits = 18;
const gzipLevel = 6;
/** Memory that zlib needs for one answer until its end, in bytes. */
const stateBytes: Readonly<Record<Coding, number>> = { br: 1024 * 1024, gzip: 512 * 1024 };

/** Compressed bytes that zlib hands over at once. */
const outputBytes = 32 * 1024;

/**
 * Answers that are compressed at once. Each has at most one chunk of 64 KiB in the thread pool of libuv, some two
 * milliseconds: password hashes and name look-ups share that pool, and wait at most for all of these.
 */
export const encodersMax = 16;

/** Compresses one answer chunk by chunk, on a thread of libuv's pool. */
export class AnswerEncoder {
  readonly coding: Coding;
  /** Memory that it keeps, in bytes. */
  readonly heldBytes: number;
  readonly #stream: Transform;
  readonly #onClose: () => void;
  #coded: Buffer[] = [];
  #fail: (fault: unknown) => void = () => undefined;
  #isClosed = false;

  /** @param onClose called once */
  constructor(coding: Coding, onClose: () => void) {
    this.coding = coding;
    this.heldBytes = stateBytes[coding];
    this.#onClose = onClose;
    this.#stream =
      coding === 'br' ? createBrotli() : createGzip({ level: gzipLevel, chunkSize: outputBytes });
    this.#stream.on('data', (bytes: Buffer) => this.#coded.push(bytes));
    this.#stream.on('error', (fault) => {
      if (!this.#isClosed) this.#fail(fault);
    });
  }

  /**
   * Adds a chunk, which must not change until `done`. One chunk at a time.
   *
   * @param done gets the bytes compressed so far, possibly none; it is never called before this returns, nor after
   * `close`
   */
  add(chunk: Uint8Array, done: (coded: Uint8Array) => void, fail: (fault: unknown) => void): void {
    this.#fail = fail;
    this.#stream.write(chunk, (fault) => {
      if (!this.#isClosed && fault == null) done(this.#take());
    });
  }

  /** The same for the last chunk: `done` gets the rest. Then it is closed. */
  finish(chunk: Uint8Array, done: (coded: Uint8Array) => void, fail: (fault: unknown) => void): void {
    this.#fail = fail;
    this.#stream.once('end', () => {
      if (this.#isClosed) return;
      const coded = this.#take();
      this.close();
      done(coded);
    });
    this.#stream.end(chunk);
  }

  #take(): Uint8Array {
    const coded = Buffer.concat(this.#coded);
    this.#coded = [];
    return coded;
  }

  /** Gives back what it holds. A second call has no effect. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.destroy();
    this.#onClose();
  }
}

function createBrotli(): Transform {
  return createBrotliCompress({
    chunkSize: outputBytes,
    params: {
      [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
      [constants.BROTLI_PARAM_LGWIN]: brotliWindowBits,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  });
}

/** The process' bound on answers that are compressed at once. */
interface EncoderRoom {
  /** @returns whether there was room; then `give` must follow */
  take(count: number): boolean;
  give(count: number): void;
}

/** Gives encoders while the process has room for them. */
export class AnswerEncoders {
  readonly #room: EncoderRoom;

  /** @param room of `encodersMax` */
  constructor(room: EncoderRoom) {
    this.#room = room;
  }

  /** @returns null when there is no room, or no coding: the answer goes out as it is. Otherwise `close` must follow. */
  take(coding: Coding | null): AnswerEncoder | null {
    if (coding === null || !this.#room.take(1)) return null;
    return new AnswerEncoder(coding, () => this.#room.give(1));
  }
}
