import { assert } from '../support/assert.ts';
import { turnNow } from '../support/monotonic-clock.ts';
import type { ExchangeOptions } from './answer-policy.ts';
import {
  bareLength,
  endBare,
  flushSocket,
  keepRest,
  writeBareToClose,
  writeBodyToClose,
  writeChunkedEnd,
  writeHead,
} from './answer-writing.ts';
import { ConnectionClosing } from './connection-closing.ts';
import type { HeaderBlock } from './header-block.ts';
import { gatheredBytes, type Manner } from './turn-guard.ts';
import type { HttpResponse } from './uws.ts';

type Body = string | Uint8Array;

/** `Exchange`, or a class that gives its answers with more. */
export type ExchangeClass = typeof Exchange;

/**
 * One request's answer, given once, at once or later. When the client is gone or the answer is given, every method does
 * nothing: late answers need no check.
 *
 * Bytes that the client's socket does not take are kept here, counted in the budget, and written as it takes more.
 * Until then the request counts as open: if the client sends another one, uWebSockets.js closes its connection.
 */
export class Exchange {
  readonly #response: HttpResponse;
  readonly #options: ExchangeOptions;
  readonly #startedAt = turnNow();
  readonly isHead: boolean;
  /** The route under which the answer is counted: an index into the meter's routes. */
  route: number;
  #givenManner: Manner | null;
  #hasReturned = false;
  /** Status of an answer that has begun. */
  #status = 0;
  /** Once set it stays: the policy is not asked again, because it counts on this answer to close its connection. */
  mustClose = false;
  #hasChunks = false;
  /** Answered, or the client is gone. */
  isOver = false;
  readonly connection: ConnectionClosing;
  #isHeld = false;
  #abortListeners: (() => void)[] | null = null;

  /** @param manner of an answer that is given within the handler, or within a turn that has too many requests */
  constructor(
    response: HttpResponse,
    isHead: boolean,
    route: number,
    manner: Manner,
    options: ExchangeOptions,
  ) {
    this.#response = response;
    this.connection = new ConnectionClosing(response);
    this.#options = options;
    this.isHead = isHead;
    this.route = route;
    this.#givenManner = manner;
    response.onAborted(() => {
      if (!this.isOver) options.meter.countUnanswered(this.route, 'client');
      this.isOver = true;
      this.connection.isGone = true;
      for (const listener of this.#abortListeners ?? []) listener();
    });
  }

  handlerReturned(): void {
    this.#hasReturned = true;
  }

  /** For an exchange that is made when the body is there, or does not come. */
  bodyWasRead(): void {
    this.#hasReturned = true;
    this.connection.hasBody = true;
  }

  /**
   * A body that comes with its head is answered after the handler, in the same turn: if that turn has too many requests,
   * the answer ends its connection, or waits for the end of the turn, as it would within the handler.
   */
  get #manner(): Manner | null {
    const given = this.#givenManner;
    if (!this.#hasReturned) return given;
    return (given === 'last' || given === 'held') && this.#options.turns.isTurnOver ? given : null;
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
    if (this.connection.isCertain) return true;
    this.mustClose ||= this.#options.policy.mustClose();
    return this.mustClose;
  }

  /** Answers whole. @param body not of one byte; it may be a view of shared memory, and is copied before this returns */
  answer(status: number, headers: HeaderBlock, body: Body): void {
    if (this.isOver || this.#isHeld) return;
    // Here, because what is thrown while the library gathers an answer ends the process.
    assert(body.length !== 1, 'a body of one byte cannot end its connection');
    this.#give(status, headers, body);
  }

  /** Answers whole, and closes the connection. */
  answerClosing(status: number, headers: HeaderBlock, body: Body): void {
    this.mustClose = true;
    this.answer(status, headers, body);
  }

  /** Answers and ends the connection: for a client whose next bytes could be misread. */
  answerAndClose(status: number, headers: HeaderBlock, body: string): void {
    this.connection.isLast = true;
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
    if (this.#manner === 'held') {
      const kept = typeof body === 'string' ? body : new Uint8Array(body);
      this.#hold(() => this.#give(status, headers, kept));
      return;
    }
    this.isOver = true;
    this.#options.meter.countAnswer(this.route, status, this.#startedAt);
    const closes = this.#manner === 'last' || this.#isToClose();
    if (this.isHead || body.length === 0 || bareLength(status, body) === null) {
      this.#giveBare(status, headers, bareLength(status, body), closes);
    } else if (closes && this.#isPlain && body.length < gatheredBytes) {
      this.#response.cork(() => {
        writeHead(this.#response, status, headers);
        // The library says so itself, except to a client that has said it.
        if (this.connection.isClientsLast) this.#response.writeHeader('Connection', 'close');
        this.#response.end(body, true);
      });
    } else this.#send(status, headers, body, closes);
  }

  /**
   * Whether uWebSockets.js may end the answer and close the connection. It queues the answer behind earlier ones that
   * are not sent yet, and does not say whether the client's socket takes them. So a sample of the answers is ended here
   * instead. So is an answer after which no request may be handled, because the library still hands over the next
   * request while the connection is closing; and one to a body (`ConnectionClosing`).
   */
  get #isPlain(): boolean {
    if (!this.connection.isLeftToLibrary) return false;
    if (this.#manner === null) return !this.#options.turns.isSampled();
    return this.#manner !== 'checked';
  }

  #giveBare(status: number, headers: HeaderBlock, length: number | null, mustClose: boolean): void {
    const closes = this.#options.turns.isSampled() || mustClose;
    const write = closes ? writeBareToClose : endBare;
    this.#response.cork(() => write(this.#response, status, headers, length));
    if (closes) this.connection.linger();
  }

  /** Sends what the socket takes at once. The rest is kept, so that a draining service knows when it is sent. */
  #send(status: number, headers: HeaderBlock, body: Body, closes: boolean): void {
    const response = this.#response;
    const length = Buffer.byteLength(body);
    // With a total that is never reached, the response stays valid, to close its connection with.
    const total = closes ? length + 1 : length;
    let isTaken = false;
    let isDone = false;
    response.cork(() => {
      writeHead(response, status, headers);
      if (closes) isTaken = writeBodyToClose(response, body);
      else [isTaken, isDone] = response.tryEnd(body, total);
    });
    if (isDone || (isTaken && closes)) {
      if (closes) this.connection.linger();
    } else this.#keep(body, total);
  }

  #keep(body: Body, total: number): void {
    keepRest(this.#response, {
      body,
      total,
      takeRoom: (bytes) => this.#options.policy.unsent.take(bytes, this.remoteAddress()),
      onAborted: (listener) => this.onAborted(listener),
      connection: this.connection,
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
    this.#hasChunks ||= bytes.length > 0;
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
      if (this.connection.isClosing) return flushSocket(this.#response);
      listener();
      return true;
    });
  }

  /** Ends an answer that was begun. */
  end(): void {
    if (this.isOver) return;
    this.#finish();
    if (this.#isToClose() && !this.connection.isClosedByLibrary) {
      this.#response.cork(() => writeChunkedEnd(this.#response, this.#hasChunks));
      this.connection.linger();
    } else this.#response.cork(() => this.#response.end());
  }

  /** Cuts the connection, so that an incomplete answer cannot be mistaken for a complete one. */
  cut(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#options.meter.countUnanswered(this.route, 'service');
    this.connection.close();
  }

  /** Reads no more of the connection, not even its end: for a connection whose last answer this is. */
  stopReading(): void {
    this.#response.pause();
  }

  /** @param listener gets each piece of the request's body, valid during the call only */
  onBody(listener: (piece: Uint8Array, isLast: boolean) => void): void {
    this.connection.hasBody = true;
    this.#response.onData((piece, isLast) => {
      this.connection.hear();
      listener(new Uint8Array(piece), isLast);
    });
  }
}
