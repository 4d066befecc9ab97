import { ArrivedBytes, type BodyBudget } from './body-reader.ts';
import type { Exchange, ExchangeClass } from './exchange.ts';
import type { ReadyAnswer } from './ready-answer.ts';
import { saysClose } from './request-end.ts';
import type { RequestView } from './request-view.ts';
import type { HttpRequest, HttpResponse } from './uws.ts';

/** Lines of a head that such a route reads: one object for all requests, valid until the next one. */
export interface BodyHead {
  /** The value of `X-API-Key`; empty when it was not sent. */
  readonly apiKey: string;
  /** The values of `X-Forwarded-For`, joined by commas. */
  readonly forwardedFor: string;
}

/**
 * A route of POST for many requests with short bodies. A body that comes with its head is answered before the call in which
 * it comes returns, from the bytes as they were received: without an exchange, a timer or a copy.
 */
export interface BodyRoute<Asked = unknown> {
  readonly pattern: string;
  /** The route under which its answers are counted; the ordinary way may set another one. */
  readonly countedAs: number;
  /** What answers go through that are not given at once, where that is not `Exchange` itself. */
  readonly exchange?: ExchangeClass;
  /** Longer bodies, and those without a length, go the ordinary way. */
  readonly bytesMax: number;
  /** @param address of the connection. @returns the memory for a body that does not come with its head */
  budgetFor(address: Uint8Array, asked: Asked): BodyBudget;
  /** A body that has not arrived whole by then, or half as long again, has stalled. */
  readonly intervalMs: number;
  /** The ordinary way. Must answer, or keep the exchange and answer later. */
  handle(exchange: Exchange, request: RequestView): void;
  /** @returns what is asked; null: the request goes the ordinary way */
  ask(path: string, head: BodyHead): Asked | null;
  /** @param body valid during the call only. @returns valid until the next call */
  answer(asked: Asked, body: Uint8Array): ReadyAnswer;
  /** Answers a request whose body stalled, or has no room. */
  refuse(exchange: Exchange, asked: Asked, why: UnreadBody): void;
  /** @returns the answer to what `answer` threw for */
  fail(asked: Asked, fault: unknown): ReadyAnswer;
}

export type UnreadBody = 'stalled' | 'over-budget';

/** Reads the lines of a head in one crossing, and notes those that matter. */
class HeadLines implements BodyHead {
  apiKey = '';
  forwardedFor = '';
  #length = '';
  #lengths = 0;
  #encodings = 0;
  #hosts = 0;
  #endsConnection = false;
  readonly #note = (name: string, value: string): void => {
    if (name === 'content-length') {
      this.#length = value;
      this.#lengths += 1;
    } else if (name === 'host') this.#hosts += 1;
    else if (name === 'transfer-encoding') this.#encodings += 1;
    else if (name === 'connection') this.#endsConnection ||= saysClose(value);
    else if (name === 'x-api-key') this.apiKey = this.apiKey === '' ? value : this.apiKey;
    else if (name === 'x-forwarded-for') {
      this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor},${value}`;
    }
  };

  #readLines(request: HttpRequest): void {
    this.apiKey = '';
    this.forwardedFor = '';
    this.#length = '';
    this.#lengths = 0;
    this.#encodings = 0;
    this.#hosts = 0;
    this.#endsConnection = false;
    request.forEach(this.#note);
  }

  /**
   * @returns the length of the body; 0: the request has none, its end is not certain (`framingFault` of the ordinary way), or
   * its answer ends the connection
   */
  read(request: HttpRequest): number {
    this.#readLines(request);
    if (this.#lengths !== 1 || this.#encodings > 0 || this.#hosts > 1 || this.#endsConnection) return 0;
    if (request.getCaseSensitiveMethod() !== 'POST') return 0;
    return lengthOf(this.#length);
  }
}

const lengthDigits = 9;

/** @returns 0 for what is no length. A regular expression would cost more than this loop. */
function lengthOf(text: string): number {
  if (text.length > lengthDigits) return 0;
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return 0;
    length = length * 10 + digit;
  }
  return length;
}

const headLines = new HeadLines();

/** @param bytesMax of a body. @returns the length of a request's body; null: it goes the ordinary way */
export function readBodyHead(request: HttpRequest, bytesMax: number): number | null {
  const length = headLines.read(request);
  return length === 0 || length > bytesMax ? null : length;
}

/**
 * Whether the request goes the ordinary way: a line of the head declares a body, so that its end may not be certain, or
 * ends the connection, or several lines name its host.
 */
export function needsCare(request: HttpRequest): boolean {
  hosts = 0;
  isCareful = false;
  request.forEach(noteForCare);
  return isCareful || hosts > 1;
}

let hosts = 0;
let isCareful = false;

/** Tells most lines apart by the length of their names: each request of evaluation comes here with every line. */
function noteForCare(name: string, value: string): void {
  switch (name.length) {
    case 4:
      if (name === 'host') hosts += 1;
      return;
    case 10:
      if (name === 'connection') isCareful ||= saysClose(value);
      return;
    case 14:
      isCareful ||= name === 'content-length';
      return;
    case 17:
      isCareful ||= name === 'transfer-encoding';
  }
}

/** The head that `readBodyHead` has read. */
export const bodyHead: BodyHead = headLines;

/** How a short body's request is answered. */
export interface BodyAnswering<Asked> {
  readonly route: BodyRoute<Asked>;
  readonly stalls: Stalls;
  /** Answers within the call in which the body came. @returns whether nothing of the answer is left to write */
  answerNow(response: HttpResponse, ready: ReadyAnswer, isChecked: boolean): boolean;
  /** @returns an exchange for an answer that is given otherwise */
  exchangeFor(response: HttpResponse): Exchange;
  countAborted(): void;
  /** Receives one that may `begin` another request. */
  free(body: ArrivingBody<Asked>): void;
}

/**
 * A request whose body is arriving. Once its body has come and its answer is written, uWebSockets.js has forgotten both
 * handlers, and it may `begin` another request.
 */
export class ArrivingBody<Asked> {
  readonly #answering: BodyAnswering<Asked>;
  #response: HttpResponse | null = null;
  #asked: Asked | null = null;
  #length = 0;
  /** Whether it is to be learnt if the client's socket takes the answer. */
  #isChecked = false;
  /** What came before the last piece; null while nothing has. */
  #arrived: ArrivedBytes | null = null;
  #isOver = false;
  bornAt = 0;
  readonly #onAborted = (): void => this.#abort();
  readonly #onData = (piece: ArrayBuffer, isLast: boolean): void => this.#take(new Uint8Array(piece), isLast);

  constructor(answering: BodyAnswering<Asked>) {
    this.#answering = answering;
  }

  /** Call it within the request's handler. */
  begin(response: HttpResponse, asked: Asked, length: number, isChecked: boolean): void {
    this.#response = response;
    this.#asked = asked;
    this.#length = length;
    this.#isChecked = isChecked;
    this.#isOver = false;
    this.#answering.stalls.add(this);
    response.onAborted(this.#onAborted);
    response.onData(this.#onData);
  }

  #take(piece: Uint8Array, isLast: boolean): void {
    if (this.#isOver) return;
    if (isLast && this.#arrived === null) this.#finish(piece);
    else if (!this.#keep(piece)) this.refuse('over-budget');
    else if (isLast) this.#finish((this.#arrived as ArrivedBytes).bytes);
  }

  #keep(piece: Uint8Array): boolean {
    if (this.#arrived === null) {
      const address = new Uint8Array((this.#response as HttpResponse).getRemoteAddress());
      const budget = this.#answering.route.budgetFor(address, this.#asked as Asked);
      this.#arrived = new ArrivedBytes(this.#length, budget);
    }
    return this.#arrived.add(piece);
  }

  #finish(body: Uint8Array): void {
    const { answerNow, free } = this.#answering;
    const [response, asked] = [this.#response as HttpResponse, this.#asked as Asked];
    const ready = this.#decide(body, asked);
    this.#end();
    if (answerNow(response, ready, this.#isChecked)) free(this);
  }

  #decide(body: Uint8Array, asked: Asked): ReadyAnswer {
    const { route } = this.#answering;
    try {
      return route.answer(asked, body);
    } catch (fault) {
      return route.fail(asked, fault);
    }
  }

  /** The answer ends the connection. The rest of the body is read and dropped meanwhile. */
  refuse(why: UnreadBody): void {
    if (this.#isOver) return;
    this.#end();
    const { route, exchangeFor } = this.#answering;
    const exchange = exchangeFor(this.#response as HttpResponse);
    exchange.connection.isLast = true;
    route.refuse(exchange, this.#asked as Asked, why);
  }

  #abort(): void {
    if (this.#isOver) return;
    this.#end();
    this.#answering.countAborted();
  }

  #end(): void {
    this.#isOver = true;
    this.#answering.stalls.delete(this);
    this.#arrived?.release();
    this.#arrived = null;
  }
}

/** Looks in an interval are this many, and a body that was there for one more has stalled. */
const looksOfInterval = 2;

/** Finds bodies that do not arrive, with one timer for all. A body that comes with its head is the newest when it is answered. */
export class Stalls {
  readonly #bodies = new Set<ArrivingBody<unknown>>();
  #newest: ArrivingBody<unknown> | null = null;
  readonly #lookMs: number;
  #timer: NodeJS.Timeout | null = null;
  #looks = 0;

  constructor(intervalMs: number) {
    this.#lookMs = intervalMs / looksOfInterval;
  }

  add(body: ArrivingBody<never> | ArrivingBody<unknown>): void {
    body.bornAt = this.#looks;
    if (this.#newest !== null) this.#bodies.add(this.#newest);
    this.#newest = body as ArrivingBody<unknown>;
    this.#timer ??= setInterval(() => this.#look(), this.#lookMs).unref();
  }

  delete(body: ArrivingBody<never> | ArrivingBody<unknown>): void {
    if (this.#newest === body) this.#newest = null;
    else this.#bodies.delete(body as ArrivingBody<unknown>);
  }

  #look(): void {
    this.#looks += 1;
    if (this.#newest !== null) this.#bodies.add(this.#newest);
    this.#newest = null;
    for (const body of [...this.#bodies]) {
      if (this.#looks - body.bornAt > looksOfInterval) body.refuse('stalled');
    }
    if (this.#bodies.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
