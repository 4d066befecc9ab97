import type { AnswerMeter } from '../observability/answer-meter.ts';
import { turnNow } from '../support/turn-clock.ts';
import type { AnswerPolicy } from './answer-policy.ts';
import type { HeaderBlock } from './header-block.ts';
import { statusLine } from './status-line.ts';
import type { HttpResponse } from './uws.ts';

/** What `writeCorked` writes: module variables instead of a closure for every answer. */
const corked = {
  response: null as HttpResponse | null,
  status: 200,
  headers: null as HeaderBlock | null,
  body: '' as string | Uint8Array,
  isHead: false,
  mustClose: false,
};

/** Larger bodies than this may not fit a socket's buffer at once. */
const largeBodyLength = 64 * 1024;

/** How long a client may keep a connection that ends with its answer: closed before it has read it, it might lose it. */
const lingerMs = 2000;

export function writeHead(response: HttpResponse, status: number, headers: HeaderBlock): void {
  if (status !== 200) response.writeStatus(statusLine(status));
  response.writeHeader(headers.name, headers.value);
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

/** Ends an answer that has no body, and no Content-Length: an explicit undefined would be written as a number. */
function endEmpty(response: HttpResponse, mustClose: boolean): void {
  if (mustClose) response.end('', true);
  else response.endWithoutBody();
}

/**
 * Ends the answer to HEAD. The length is a header like any other: given to `endWithoutBody`, it would leave the response
 * open, and the connection of no use for the next request.
 */
export function endHead(response: HttpResponse, length: number, mustClose: boolean): void {
  if (mustClose) {
    response.endWithoutBody(length, true);
    return;
  }
  response.writeHeader('Content-Length', String(length));
  response.endWithoutBody();
}

function writeCorked(): void {
  const { response, headers, body, mustClose } = corked;
  if (response === null || headers === null) return;
  writeHead(response, corked.status, headers);
  if (corked.isHead) endHead(response, Buffer.byteLength(body), mustClose);
  else if (hasNoBody(corked.status)) endEmpty(response, mustClose);
  else response.end(body, mustClose);
}

/**
 * One request's answer, given once, at once or later. After the client is gone, or the answer is given, everything here
 * does nothing: whoever answers late need not care.
 */
export class Exchange {
  readonly #response: HttpResponse;
  readonly #meter: AnswerMeter;
  readonly #policy: AnswerPolicy;
  readonly #startedAt = turnNow();
  readonly isHead: boolean;
  /** What the answer is counted as: an index into the meter's routes. */
  route: number;
  /** Of an answer that has begun. */
  #status = 0;
  /** Answered, or the client is gone. */
  isOver = false;
  /**
   * Whether the answer is the connection's last: nobody knows for certain where the request ends. Set before it is given.
   */
  isLast = false;
  #abortListeners: (() => void)[] | null = null;
  /** Bytes of a large answer that has room, and has not been given yet. */
  #reserved = 0;

  constructor(
    response: HttpResponse,
    isHead: boolean,
    meter: AnswerMeter,
    route: number,
    policy: AnswerPolicy,
  ) {
    this.#response = response;
    this.#meter = meter;
    this.#policy = policy;
    this.isHead = isHead;
    this.route = route;
    response.onAborted(() => {
      if (!this.isOver) meter.countUnanswered(this.route, 'client');
      this.isOver = true;
      for (const listener of this.#abortListeners ?? []) listener();
    });
  }

  /** @param listener called once if the client goes away before the answer is complete */
  onAborted(listener: () => void): void {
    this.#abortListeners ??= [];
    this.#abortListeners.push(listener);
  }

  /** The peer's address: 4 or 16 bytes. */
  remoteAddress(): Uint8Array {
    return new Uint8Array(this.#response.getRemoteAddress()).slice();
  }

  /**
   * Makes sure that so large a body may be kept for a client that is slow to read. The answer must follow at once.
   * @returns false: what is kept for slow clients is as much as may be, and this request is to be refused
   */
  reserve(bodyLength: number): boolean {
    if (bodyLength <= largeBodyLength || this.isHead || this.isOver) return true;
    if (!this.#policy.unsent.take(bodyLength)) return false;
    this.#reserved = bodyLength;
    return true;
  }

  /** Answers whole. Bytes may be a view of shared memory: they are copied before this returns. */
  answer(status: number, headers: HeaderBlock, body: string | Uint8Array): void {
    if (this.isOver) return;
    this.#finish(status);
    if (this.isLast) {
      this.#answerLast(status, headers, typeof body === 'string' ? Buffer.from(body) : body);
      return;
    }
    // A text has fewer characters than bytes: what was reserved goes the way that gives it back.
    if (this.#reserved > 0 || (body.length > largeBodyLength && !this.isHead)) {
      this.#answerLarge(status, headers, typeof body === 'string' ? Buffer.from(body) : body);
      return;
    }
    corked.response = this.#response;
    corked.status = status;
    corked.headers = headers;
    corked.body = body;
    corked.isHead = this.isHead;
    corked.mustClose = this.#policy.mustClose();
    this.#response.cork(writeCorked);
    corked.response = null;
  }

  #finish(status: number): void {
    this.isOver = true;
    this.#meter.countAnswer(this.route, status, this.#startedAt);
  }

  /** A large body is handed over as the socket takes it, so that a service that drains knows when it is through. */
  #answerLarge(status: number, headers: HeaderBlock, body: Uint8Array): void {
    const response = this.#response;
    const flushed = this.#keep(body.length);
    response.cork(() => {
      writeHead(response, status, headers);
      const start = response.getWriteOffset();
      const send = (offset: number): boolean => {
        const [isTaken, isDone] = response.tryEnd(body.subarray(offset - start), body.length);
        if (isDone) flushed();
        return isTaken;
      };
      if (!send(start)) response.onWritable(send);
    });
  }

  /** Counts a large body as kept for its client. @returns to be called when the client has it; it is when the client is gone */
  #keep(length: number): () => void {
    const { unsent } = this.#policy;
    const kept = this.#reserved === 0 ? length : this.#reserved;
    if (this.#reserved === 0) unsent.takeAlways(kept);
    let isFlushed = false;
    const flushed = (): void => {
      if (isFlushed) return;
      isFlushed = true;
      unsent.give(kept);
    };
    this.onAborted(flushed);
    return flushed;
  }

  /**
   * Gives the connection's last answer. uWebSockets.js hands the next request of a connection over while the last answer's
   * closing is on its way; it closes the connection instead as long as an answer is not complete. So this one never is,
   * to uWebSockets.js: it waits for a byte more than was announced to the client, until the client goes or is cut.
   */
  #answerLast(status: number, headers: HeaderBlock, body: Uint8Array): void {
    const response = this.#response;
    if (body.length === 0 || hasNoBody(status)) {
      this.#answerLastEmpty(status, headers);
      return;
    }
    const isLarge = this.#reserved > 0 || body.length > largeBodyLength;
    const flushed = isLarge && !this.isHead ? this.#keep(body.length) : null;
    const sent = (): void => {
      flushed?.();
      const timer = setTimeout(() => response.close(), lingerMs);
      this.onAborted(() => clearTimeout(timer));
    };
    response.cork(() => {
      writeHead(response, status, headers);
      response.writeHeader('Connection', 'close');
      const start = response.getWriteOffset();
      response.tryEnd('', body.length);
      const send = (offset: number): boolean => {
        const [isTaken] = response.tryEnd(body.subarray(offset - start), body.length + 1);
        if (response.getWriteOffset() - start === body.length) sent();
        return isTaken;
      };
      if (this.isHead) sent();
      else if (!send(start)) response.onWritable(send);
    });
  }

  /**
   * An answer without a body is complete at once. It waits for the end of the event-loop turn: what came with the request
   * and looks like another one meets an unanswered one, and the connection is closed.
   */
  #answerLastEmpty(status: number, headers: HeaderBlock): void {
    let isGone = false;
    this.onAborted(() => {
      isGone = true;
    });
    setImmediate(() => {
      if (isGone) return;
      this.#response.cork(() => {
        writeHead(this.#response, status, headers);
        this.#response.end('', true);
      });
    });
  }

  /** Begins an answer of unknown length. For HEAD it ends here. */
  begin(status: number, headers: HeaderBlock): void {
    if (this.isOver) return;
    this.#status = status;
    this.#response.cork(() => {
      writeHead(this.#response, status, headers);
      if (this.isLast) this.#response.writeHeader('Connection', 'close');
      if (!this.isHead) return;
      this.#finish(status);
      this.#response.endWithoutBody();
    });
  }

  /** @returns whether the client's socket took it; if not, wait for `onWritable` before the next one. */
  write(bytes: Uint8Array): boolean {
    if (this.isOver) return true;
    let isTaken = true;
    this.#response.cork(() => {
      isTaken = this.#response.write(bytes);
    });
    return isTaken;
  }

  /**
   * Writes a few bytes by themselves, outside the cork, whose buffer would take them whatever the socket does.
   * @returns whether the socket has taken them and everything before
   */
  writeThrough(bytes: Uint8Array): boolean {
    return this.isOver || this.#response.write(bytes);
  }

  /** @param listener called whenever what was written has been taken by the client's socket */
  onWritable(listener: () => void): void {
    if (this.isOver) return;
    this.#response.onWritable(() => {
      listener();
      return true;
    });
  }

  end(): void {
    if (this.isOver) return;
    this.#finish(this.#status);
    // Closing here would write a header line in the middle of the chunks: the next answer does, or the worker's end.
    this.#response.cork(() => this.#response.end());
  }

  /** Answers and ends the connection: for a client whose next bytes could not be understood. */
  answerAndClose(status: number, headers: HeaderBlock, body: string): void {
    this.isLast = true;
    this.answer(status, headers, body);
  }

  /** Answers at once and closes the connection. */
  answerClosing(status: number, headers: HeaderBlock, body: string): void {
    if (this.isOver) return;
    this.#finish(status);
    this.#response.cork(() => {
      writeHead(this.#response, status, headers);
      if (this.isHead) endHead(this.#response, Buffer.byteLength(body), true);
      else this.#response.end(body, true);
    });
  }

  /** Cuts the connection, so that an incomplete answer cannot be mistaken for a whole one. */
  cut(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#meter.countUnanswered(this.route, 'service');
    this.#response.close();
  }

  /** Reads no more of the connection, not even its end: for one whose answer is the last. */
  stopReading(): void {
    this.#response.pause();
  }

  /** @param listener gets each piece of the request's body, valid during the call only */
  onBody(listener: (piece: Uint8Array, isLast: boolean) => void): void {
    this.#response.onData((piece, isLast) => listener(new Uint8Array(piece), isLast));
  }
}
