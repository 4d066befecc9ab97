import type { HttpRequest } from './uws.ts';

const lengths =
  'The headers disagree on the length of the request body. Send one Content-Length, or Transfer-Encoding: chunked.';
const severalHosts = 'The request has more than one Host header. Send one.';
const methods = 'The request method is not valid. Send an HTTP method in upper-case letters.';

/** Methods that every HTTP parser knows. After another method, parsers may disagree on what follows. */
const commonMethods = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']);

/** Methods in lower case, by the text that was sent: methods are case-sensitive. */
const knownMethods = new Map([...commonMethods].map((name) => [name.toUpperCase(), name]));

/** Shared by all headers that were not sent. */
const none: string[] = [];

/**
 * The request that is being handled: one object for all requests, valid until the handler returns. Copy as strings what
 * is needed later.
 */
export class RequestView {
  #request: HttpRequest | null = null;
  #method = '';
  /** Names and values alternate; `#count` of them are this request's. Each line crosses from the addon once. */
  readonly #lines: string[] = [];
  #count = 0;
  #sizes = 0;
  #encodings = 0;
  #hosts = 0;
  #isOddLength = false;
  #endsConnection: boolean | null = null;
  /** The value of `Content-Length`; null when it was not sent. */
  declaredBytes: number | null = null;
  readonly #note = (name: string, value: string): void => {
    this.#lines[this.#count] = name;
    this.#lines[this.#count + 1] = value;
    this.#count += 2;
    if (name === 'host') this.#hosts += 1;
    else if (name === 'content-length') {
      this.#sizes += 1;
      this.declaredBytes = lengthOf(value);
      this.#isOddLength ||= this.declaredBytes < 0;
    } else if (name === 'transfer-encoding') {
      this.#encodings += 1;
      this.#isOddLength ||= value.toLowerCase() !== 'chunked';
    } else if (name === 'connection') {
      // The library uses the first one.
      this.#endsConnection ??= saysClose(value);
    }
  };

  show(request: HttpRequest): this {
    this.#request = request;
    // `getMethod` would turn both `PATCH` and `patch` into `patch`, in the request itself.
    const sent = request.getCaseSensitiveMethod();
    this.#method = knownMethods.get(sent) ?? (/^[A-Z-]+$/.test(sent) ? sent.toLowerCase() : 'other');
    // Set to 0, the array's own length would drop its memory.
    this.#count = 0;
    this.#sizes = 0;
    this.#encodings = 0;
    this.#hosts = 0;
    this.#isOddLength = false;
    this.#endsConnection = null;
    this.declaredBytes = null;
    request.forEach(this.#note);
    return this;
  }

  /** The handler has returned. */
  hide(): void {
    this.#request = null;
  }

  get #current(): HttpRequest {
    if (this.#request === null) throw new Error('the request is gone: its handler has returned');
    return this.#request;
  }

  /** In lower case, if it was sent in upper case. Methods are case-sensitive: any other one is `other`. */
  method(): string {
    return this.#method;
  }

  /** As received, undecoded, without the query. */
  path(): string {
    return this.#current.getUrl();
  }

  /** As received, undecoded, without the question mark; empty when there is none. */
  query(): string {
    return this.#current.getQuery() ?? '';
  }

  /** A segment of the path that the route's pattern leaves open, undecoded. */
  parameter(index: number): string {
    return this.#current.getParameter(index) ?? '';
  }

  /** @param name in lower case. @returns the first value; the empty string when absent */
  header(name: string): string {
    const lines = this.#lines;
    for (let index = 0; index < this.#count; index += 2) {
      if (lines[index] === name) return lines[index + 1] as string;
    }
    return '';
  }

  /** Every value that was sent for a header, in order. */
  headerValues(name: string): readonly string[] {
    const lines = this.#lines;
    let values: string[] = none;
    for (let index = 0; index < this.#count; index += 2) {
      if (lines[index] !== name) continue;
      if (values === none) values = [];
      values.push(lines[index + 1] as string);
    }
    return values;
  }

  /** @returns every value of a header, joined by comma and space as lists are; null when it was not sent */
  joinedHeader(name: string): string | null {
    const values = this.headerValues(name);
    return values.length === 0 ? null : values.join(', ');
  }

  /**
   * Finds anything in the head from which another parser could see another end of the request: a proxy in front could
   * then take a part of it for the next request, or the next for a part of it (request smuggling). Such a request is
   * refused, and its connection ends. Every line is checked, because uWebSockets.js frames by the first of several
   * headers, and takes an empty one as absent.
   * @returns a message for the client; null when there is no fault
   */
  framingFault(): string | null {
    if (this.#sizes + this.#encodings > 1 || this.#isOddLength) return lengths;
    if (this.#hosts > 1) return severalHosts;
    return this.#method === 'other' ? methods : null;
  }

  /**
   * Whether only uWebSockets.js has seen where the request ends. It reads chunks loosely, and shows their content but
   * not their framing. So the connection ends with the answer: bytes behind it that look like another request are never
   * handled.
   */
  get hasUncertainEnd(): boolean {
    return this.#encodings > 0 || !commonMethods.has(this.#method);
  }

  /** Whether the client announced that it sends no request after this one. */
  get endsConnection(): boolean {
    return this.#endsConnection === true;
  }
}

const lengthDigits = 15;

/** @returns -1 for text that is not a length. A regular expression would cost more than this loop. */
function lengthOf(text: string): number {
  if (text.length === 0 || text.length > lengthDigits) return -1;
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    length = length * 10 + digit;
  }
  return length;
}

/**
 * @param connection the value of that header. uWebSockets.js only checks whether it has five bytes, of which a
 * character takes several if it is not ASCII
 */
function saysClose(connection: string): boolean {
  const length = 'close'.length;
  return connection.length === length || (connection.length < length && /\P{ASCII}/u.test(connection));
}

let hosts = 0;
let isCareful = false;

/**
 * Whether a request of a direct route needs an exchange: a line of the head declares a body, so that its end may not be
 * certain, or ends the connection, or several lines name its host.
 */
export function needsCare(request: HttpRequest): boolean {
  hosts = 0;
  isCareful = false;
  request.forEach(noteForCare);
  return isCareful || hosts > 1;
}

/** Most lines are ruled out by the length of their names, because every line of every evaluation request is checked here. */
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
