import { ChunkedBody } from './chunked-body.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const headBytesMax = 64 * 1024;

const head = 0;
const sizedBody = 1;
const chunkedBody = 2;

/**
 * Reads the answers of one connection, one at a time. It reads only what a load generator needs: the status, and where
 * an answer ends. Heads and bodies may be split over reads at any byte.
 */
export class AnswerReader {
  readonly #chunks = new ChunkedBody();
  /** The beginning of a head whose end has not come yet. */
  #carried: Buffer | null = null;
  #state: number = head;
  #status = 0;
  #bodyLeft = 0;
  #isChunked = false;
  #hasLength = false;
  #isLast = false;

  /** Whether the latest answer says that the server closes the connection. */
  get isLast(): boolean {
    return this.#isLast;
  }

  /**
   * Takes the bytes of one read. The caller may overwrite them afterwards.
   *
   * @returns the answer's status once it is complete, or 0 while more of it is to come
   * @throws when the bytes are not an HTTP answer, when its end cannot be determined, or when bytes follow it
   */
  read(bytes: Buffer, length: number): number {
    if (this.#carried === null) return this.#readFrom(bytes, length);
    const joined = Buffer.concat([this.#carried, bytes.subarray(0, length)]);
    this.#carried = null;
    return this.#readFrom(joined, joined.length);
  }

  #readFrom(bytes: Buffer, length: number): number {
    let at = 0;
    if (this.#state === head) {
      at = this.#readHead(bytes, length);
      if (at < 0) return this.#carry(bytes, length);
    }
    const end =
      this.#state === chunkedBody ? this.#chunks.read(bytes, at, length) : this.#skipBody(at, length);
    if (end < 0) return 0;
    if (end < length) throw new Error('unrequested bytes follow an answer');
    this.#state = head;
    return this.#status;
  }

  #skipBody(at: number, length: number): number {
    if (length - at >= this.#bodyLeft) return at + this.#bodyLeft;
    this.#bodyLeft -= length - at;
    return -1;
  }

  #carry(bytes: Buffer, length: number): number {
    if (length > headBytesMax) throw new Error(`an answer's headers are over ${headBytesMax} bytes`);
    this.#carried = Buffer.from(bytes.subarray(0, length));
    return 0;
  }

  /** @returns the index of the body, or -1 while the head is incomplete */
  #readHead(bytes: Buffer, length: number): number {
    this.#bodyLeft = 0;
    this.#hasLength = false;
    this.#isChunked = false;
    this.#isLast = false;
    let line = bytes.indexOf(lineFeed) + 1;
    if (line === 0 || line > length) return -1;
    this.#status = readStatus(bytes, line);
    while (line < length) {
      const first = bytes[line];
      if (first === carriageReturn || first === lineFeed) return this.#endHead(line, first, length);
      const next = endOfLine(bytes, line, length);
      if (next < 0) return -1;
      this.#readHeader(bytes, line, next);
      line = next;
    }
    return -1;
  }

  #endHead(line: number, first: number, length: number): number {
    const body = first === carriageReturn ? line + 2 : line + 1;
    if (body > length) return -1;
    const hasNoBody = this.#status === 204 || this.#status === 304;
    if (!(this.#hasLength || this.#isChunked || hasNoBody))
      throw new Error('an answer has neither a length nor chunks, so its end is unknown');
    if (hasNoBody) this.#bodyLeft = 0;
    this.#state = this.#isChunked && !hasNoBody ? chunkedBody : sizedBody;
    if (this.#state === chunkedBody) this.#chunks.begin();
    return body;
  }

  #readHeader(bytes: Buffer, line: number, next: number): void {
    const first = (bytes[line] ?? 0) | 0x20;
    if (first === 0x63 && isNamed(bytes, line, contentLength)) {
      this.#hasLength = true;
      this.#bodyLeft = readNumber(bytes, line + contentLength.length + 1, next);
    } else if (first === 0x74 && isNamed(bytes, line, transferEncoding)) {
      this.#isChunked = readWord(bytes, line + transferEncoding.length + 1, next) === 'chunked';
    } else if (first === 0x63 && isNamed(bytes, line, connectionHeader)) {
      this.#isLast = readWord(bytes, line + connectionHeader.length + 1, next) === 'close';
    }
  }
}

const contentLength = Buffer.from('content-length');
const transferEncoding = Buffer.from('transfer-encoding');
const connectionHeader = Buffer.from('connection');

/** In "HTTP/1.1 200 OK" the version lies between the slash at 4 and the space at 8; the status begins at 9. */
function readStatus(bytes: Buffer, lineEnd: number): number {
  const isStatusLine = lineEnd > 12 && bytes[4] === 0x2f && bytes[8] === 0x20;
  const status = isStatusLine ? readNumber(bytes, 9, 12) : 0;
  if (status >= 200 && status <= 599) return status;
  throw new Error(
    `an answer begins with ${JSON.stringify(bytes.toString('latin1', 0, Math.min(lineEnd, 20)))}`,
  );
}

function endOfLine(bytes: Buffer, from: number, length: number): number {
  for (let at = from; at < length; at += 1) if (bytes[at] === lineFeed) return at + 1;
  return -1;
}

/** Compares a header's name, ignoring case. */
function isNamed(bytes: Buffer, line: number, name: Buffer): boolean {
  if (bytes[line + name.length] !== colon) return false;
  for (let at = 0; at < name.length; at += 1) {
    if (((bytes[line + at] ?? 0) | 0x20) !== name[at]) return false;
  }
  return true;
}

function readWord(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to).trim().toLowerCase();
}

/** Reads decimal digits, and ignores other bytes. */
function readNumber(bytes: Buffer, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
  }
  return value;
}
