import { assert } from '../support/assert.ts';
import { passNow } from '../support/monotonic-clock.ts';
import type { ExchangeOptions } from './answer-policy.ts';
import {
  bareLength,
  endBare,
  flushSocket,
  writeAtOnce,
  writeBareToClose,
  writeBodyToClose,
  writeChecked,
  writeHead,
} from './answer-writing.ts';
import type { HeaderBlock } from './header-block.ts';
import { gatheredBytes, type Manner } from './pipelining-guard.ts';
import type { ReadyAnswer } from './ready-answer.ts';
import type { HttpResponse } from './uws.ts';

type Body = string | Uint8Array;

/** How long a client has to close a connection whose end was announced, and to take the last bytes. */
const lingerMs = 250;
/**
 * The same for a client that may have sent more: if the connection closed too early, the client might lose the answer.
 */
const lastLingerMs = 2000;
/**
 * How often the wait is repeated for a client that is still sending: it may not read the answer before it has sent
 * everything.
 */
const lingersMax = 5;

/** Receives a request's body. */
export interface BodySink {
  /** @param piece valid during the call only */
  take(piece: Uint8Array, isLast: boolean): void;
  /** The client has gone away. */
  abort(): void;
}

/** What is written at once: one object for all answers. */
const ready: { -readonly [Key in keyof ReadyAnswer]: ReadyAnswer[Key] } = {
  status: 0,
  headers: { name: '', value: '' },
  body: '',
  bodyBytes: 0,
};

/** `Exchange`, or a subclass that adds headers to its answers. */
export type ExchangeClass = typeof Exchange;

/**
 * One request's answer, given once, at once or later. When the client is gone or the answer is given, every method does
 * nothing: late answers need no check.
 *
 * Bytes that the client's socket does not take are kept here, counted in the budget, and written as it takes more.
 * Until then the request counts as open: if the client sends another one, uWebSockets.js closes its connection.
 *
 * No connection is closed within the call in which a body came: after it uWebSockets.js hands over the next request of
 * the buffer, also of a closed connection, and an answer to that ends the process. After an answer that is not ended for
 * the library, the next request makes the library close the connection.
 */
export class Exchange {
  readonly #response: HttpResponse;
  readonly #options: ExchangeOptions;
  readonly #startedAt = passNow();
  readonly isHead: boolean;
  /** The route under which the answer is counted: an index into the meter's routes. */
  route: number;
  #givenManner: Manner | null;
  /** The handler, or the library's call for a part of the body, is running. */
  #isInCall = true;
  /** Status of an answer that has begun. */
  #status = 0;
  /** Once set it stays: the policy is not called again, because it relies on this answer to close its connection. */
  mustClose = false;
  /** Answered, or the client is gone. */
  isOver = false;
  /**
   * The answer is the last one, because the end of the request is not certain, or the rest of its body is not wanted. Set
   * before it is given.
   */
  isLast = false;
  /** The client has said that the connection ends with this answer. Set before it is given. */
  isClientsLast = false;
  /** Gets the body; then the answer may be given within the library's call for it. */
  #body: BodySink | null = null;
  /** The answer is whole on the wire, and the connection is about to be closed. */
  #isClosing = false;
  /** The response must not be touched any more. */
  #isGone = false;
  /** More of the request has come since the answer. */
  #hasHeard = false;
  #isHeld = false;
  #abortListeners: (() => void)[] | null = null;

  /** @param manner of an answer within the handler, or within a pass of the event loop that has too many requests */
  constructor(
    response: HttpResponse,
    isHead: boolean,
    route: number,
    manner: Manner,
    options: ExchangeOptions,
  ) {
    this.#response = response;
    this.#options = options;
    this.isHead = isHead;
    this.route = route;
    this.#givenManner = manner;
    response.onAborted(() => this.#abort());
  }

  #abort(): void {
    if (!this.isOver) this.#options.meter.countUnanswered(this.route, 'client');
    this.isOver = true;
    this.#isGone = true;
    this.#body?.abort();
    for (const listener of this.#abortListeners ?? []) listener();
  }

  handlerReturned(): void {
    this.#isInCall = false;
  }

  /**
   * A body that comes with its head is answered after the handler, in the same pass: if that pass has too many requests,
   * the answer ends its connection, or waits for the end of the pass, as it would within the handler.
   */
  get #manner(): Manner | null {
    const given = this.#givenManner;
    if (this.#isInCall && (this.#body === null || given === 'checked')) return given;
    return (given === 'last' || given === 'held') && this.#options.guard.isPassOver ? given : null;
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

  #isToClose(): boolean {
    if (this.isLast || this.isClientsLast) return true;
    this.mustClose ||= this.#options.policy.mustClose();
    return this.mustClose;
  }

  /** Answers whole. @param body not of one byte; it may be a view of shared memory, and is copied before this returns */
  answer(status: number, headers: HeaderBlock, body: Body): void {
    if (this.isOver || this.#isHeld) return;
    // This runs before the cork: an exception while the library gathers an answer would end the process.
    assert(body.length !== 1, 'a body of one byte cannot end its connection');
    this.#give(status, headers, body);
  }

  /** Answers whole, and closes the connection. */
  answerClosing(status: number, headers: HeaderBlock, body: Body): void {
    this.mustClose = true;
    this.answer(status, headers, body);
  }

  /**
   * For an answer whose head is written and counted: keeps the part of the body that the client's socket has not taken.
   */
  keepRest(body: Body): void {
    this.isOver = true;
    this.#keep(body, Buffer.byteLength(body));
  }

  #hold(give: () => void): void {
    if (this.isOver || this.#isHeld) return;
    this.#isHeld = true;
    setImmediate(() => {
      this.#givenManner = null;
      if (!this.isOver) give();
    });
  }

  #give(status: number, headers: HeaderBlock, body: Body): void {
    const manner = this.#manner;
    if (manner === 'held') {
      const kept = typeof body === 'string' ? body : new Uint8Array(body);
      this.#hold(() => this.#give(status, headers, kept));
      return;
    }
    this.isOver = true;
    this.#options.meter.countAnswer(this.route, status, this.#startedAt);
    const closes = manner === 'last' || this.#isToClose();
    const length = bareLength(status, body);
    if (this.isHead || body.length === 0 || length === null) this.#giveBare(status, headers, length, closes);
    else if (this.#isInCall && !closes) {
      ready.status = status;
      ready.headers = headers;
      ready.body = body;
      ready.bodyBytes = length;
      this.#giveAtOnce(ready, manner);
    } else if (closes && this.#isPlain(manner) && body.length < gatheredBytes) {
      this.#options.guard.hasUncounted();
      this.#response.cork(() => {
        writeHead(this.#response, status, headers);
        // The library writes `Connection: close` itself, except to a client that has sent it.
        if (this.isClientsLast) this.#response.writeHeader('Connection', 'close');
        this.#response.end(body, true);
      });
    } else this.#send(status, headers, body, closes);
  }

  /** Within a call of the library, which gathers what is written. */
  #giveAtOnce(answer: ReadyAnswer, manner: Manner | null): void {
    const write = manner === 'checked' ? writeChecked : writeAtOnce;
    if (!write(this.#response, answer, this.#options.guard)) this.#keep(answer.body, answer.bodyBytes);
  }

  /**
   * Whether uWebSockets.js may end the answer and close the connection. It queues the answer behind earlier ones that
   * are not sent yet, and does not say whether the client's socket takes them. So a sample of the answers is ended here
   * instead. So is an answer after which no request may be handled, because the library still hands over the next
   * request while the connection is closing; and one to a body.
   */
  #isPlain(manner: Manner | null): boolean {
    if (this.isLast || this.#body !== null) return false;
    return manner === null ? !this.#options.guard.isSampled() : manner !== 'checked';
  }

  #giveBare(status: number, headers: HeaderBlock, length: number | null, mustClose: boolean): void {
    this.#options.guard.hasUncounted();
    const closes = this.#options.guard.isSampled() || mustClose;
    const write = closes ? writeBareToClose : endBare;
    this.#response.cork(() => write(this.#response, status, headers, length));
    if (closes) this.#linger();
  }

  /** Sends what the socket takes at once. The rest is kept, so that a draining service knows when it is sent. */
  #send(status: number, headers: HeaderBlock, body: Body, closes: boolean): void {
    const response = this.#response;
    const length = Buffer.byteLength(body);
    // With a total that is never reached, the response stays valid, to close its connection with.
    const total = closes ? length + 1 : length;
    let isTaken = false;
    let isDone = false;
    this.#options.guard.hasUncounted();
    response.cork(() => {
      writeHead(response, status, headers);
      if (closes) isTaken = writeBodyToClose(response, body);
      else [isTaken, isDone] = response.tryEnd(body, total);
    });
    if (isDone || (isTaken && closes)) {
      if (closes) this.#linger();
    } else this.#keep(body, total);
  }

  /**
   * Keeps a copy of what the client's socket has not taken, counted in the budget, and writes it as the socket takes
   * more. Without room it closes the connection.
   * @param total that was given to `tryEnd` with the body
   */
  #keep(body: Body, total: number): void {
    const response = this.#response;
    const start = response.getWriteOffset();
    // A copy, because the body may be a view of memory that others write to.
    const rest = new Uint8Array(typeof body === 'string' ? Buffer.from(body) : body).slice(start);
    let give = this.#options.policy.unsent.take(rest.length, this.remoteAddress());
    if (give === null) {
      this.#closeSoon();
      return;
    }
    const flush = (): void => {
      give?.();
      give = null;
    };
    this.onAborted(flush);
    response.onWritable((offset) => {
      if (this.#isClosing) return flushSocket(response);
      const [isTaken, isDone] = response.tryEnd(rest.subarray(offset - start), total);
      // With a total that is never reached, the answer is whole when its last byte was taken.
      if (!isDone && !(isTaken && start + rest.length < total)) return isTaken;
      flush();
      if (!isDone) this.#linger();
      return isTaken;
    });
  }

  /** Begins an answer of unknown length. An answer to HEAD ends here. */
  begin(status: number, headers: HeaderBlock): void {
    if (this.isOver) return;
    this.#status = status;
    const closes = this.#isToClose();
    if (this.isHead) {
      this.#finish();
      this.#giveBare(status, headers, null, closes);
      return;
    }
    this.#options.guard.hasUncounted();
    this.#response.cork(() => {
      writeHead(this.#response, status, headers);
      if (closes) this.#response.writeHeader('Connection', 'close');
    });
  }

  #finish(): void {
    this.isOver = true;
    this.#options.meter.countAnswer(this.route, this.#status, this.#startedAt);
  }

  /** @returns whether the client's socket took the bytes; if not, wait for `onWritable` before the next write. */
  write(bytes: Uint8Array): boolean {
    if (this.isOver) return true;
    let isTaken = true;
    this.#response.cork(() => {
      isTaken = this.#response.write(bytes);
    });
    return isTaken;
  }

  /**
   * Writes a few bytes outside the cork: its buffer would take them even when the socket does not.
   * @returns whether the socket has taken them and everything before
   */
  writeThrough(bytes: Uint8Array): boolean {
    return this.isOver || this.#response.write(bytes);
  }

  /** @param listener called each time that the client's socket has taken what was written */
  onWritable(listener: () => void): void {
    if (this.isOver) return;
    this.#response.onWritable(() => {
      // The library sends what it has buffered with the next write only.
      flushSocket(this.#response);
      if (!this.#isClosing) listener();
      return true;
    });
  }

  /**
   * Ends an answer that was begun. The library closes the connection if the client sent `Connection: close`. Any other
   * client was told to close it: if it does not, the library does once the connection has been idle.
   */
  end(): void {
    if (this.isOver) return;
    this.#finish();
    // The bytes after the last request must not be read as another one.
    if (this.isLast) this.stopReading();
    const end = (): void => {
      if (!this.#isGone) this.#response.cork(() => this.#response.end());
    };
    // The library must not close the connection within the call for a body.
    if (this.#isInCall && this.#body !== null) setImmediate(end);
    else end();
  }

  /** Cuts the connection, so that an incomplete answer cannot be mistaken for a complete one. */
  cut(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#options.meter.countUnanswered(this.route, 'service');
    this.#closeSoon();
  }

  /** Reads no more from the connection, not even its end: this is its last answer. */
  stopReading(): void {
    this.#response.pause();
  }

  onBody(sink: BodySink): void {
    this.#body = sink;
    this.#response.onData((piece, isLast) => this.#takeBody(piece, isLast));
  }

  #takeBody(piece: ArrayBuffer, isLast: boolean): void {
    this.#hasHeard = true;
    this.#isInCall = true;
    this.#body?.take(new Uint8Array(piece), isLast);
    this.#isInCall = false;
  }

  /** The whole answer was sent. If the client does not close the connection as announced, it is closed here. */
  #linger(): void {
    this.#isClosing = true;
    if (this.isLast) this.#closeWhenSilent(lingersMax);
    // A client that sent `Connection: close` may wait for the end of the connection.
    else if (this.isClientsLast) this.#closeSoon();
    else setTimeout(() => this.#close(), lingerMs).unref();
  }

  #closeWhenSilent(lingersLeft: number): void {
    this.#hasHeard = false;
    const look = (): void => {
      if (this.#hasHeard && lingersLeft > 1) this.#closeWhenSilent(lingersLeft - 1);
      else this.#close();
    };
    setTimeout(look, lastLingerMs).unref();
  }

  /** Closes the connection. Unsent bytes are lost. */
  #closeSoon(): void {
    setImmediate(() => this.#close());
  }

  #close(): void {
    if (!this.#isGone) this.#response.close();
  }
}
