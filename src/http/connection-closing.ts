import type { HttpResponse } from './uws.ts';

/** How long a client has to close a connection whose end was announced, and to take the last bytes. */
const lingerMs = 250;
/**
 * The same for a client that may have sent more: if the connection closed too early, the client might lose the answer.
 */
const lastLingerMs = 2000;
/** A client that sends on is waited for again, so many times at most: it may read the answer only when it has sent all. */
const lingersMax = 5;

/**
 * What is known of a connection's end while one of its requests is answered, and the way to it.
 *
 * No connection is closed within the call in which a body came: after it uWebSockets.js hands over the next request of
 * the buffer, also of a closed connection, and an answer to that ends the process. After an answer that is not ended for
 * the library, the next request makes the library close the connection.
 */
export class ConnectionClosing {
  readonly #response: HttpResponse;
  /**
   * The answer is the last one, because the end of the request is not certain, or the rest of its body is not wanted. Set
   * before it is given.
   */
  isLast = false;
  /** The client has said that the connection ends with this answer. Set before it is given. */
  isClientsLast = false;
  /** The answer may be given within the library's call for the request's body. */
  hasBody = false;
  /** The answer is whole on the wire, and the connection is about to be closed. */
  isClosing = false;
  /** The response must not be touched any more. */
  isGone = false;
  #hasHeard = false;

  constructor(response: HttpResponse) {
    this.#response = response;
  }

  /** Whether the connection ends with the answer, whatever the service wants. */
  get isCertain(): boolean {
    return this.isLast || this.isClientsLast;
  }

  /** Whether uWebSockets.js may close the connection when it has sent the answer. */
  get isLeftToLibrary(): boolean {
    return !this.isLast && !this.hasBody;
  }

  /** Whether uWebSockets.js closes the connection by itself when it has sent an answer that is ended for it. */
  get isClosedByLibrary(): boolean {
    return this.isClientsLast && this.isLeftToLibrary;
  }

  /** The answer is whole on the wire. A client that was told so closes the connection; otherwise it is closed here. */
  linger(): void {
    this.isClosing = true;
    if (this.isLast) this.#closeWhenSilent(lingersMax);
    // A client that has said so may wait for the end of the connection.
    else if (this.isClientsLast) this.close();
    else setTimeout(() => this.#close(), lingerMs).unref();
  }

  /** More of the request has come. */
  hear(): void {
    this.#hasHeard = true;
  }

  /** Closes the connection, whatever is not sent. */
  close(): void {
    setImmediate(() => this.#close());
  }

  #closeWhenSilent(lingersLeft: number): void {
    this.#hasHeard = false;
    const look = (): void => {
      if (this.#hasHeard && lingersLeft > 1) this.#closeWhenSilent(lingersLeft - 1);
      else this.#close();
    };
    setTimeout(look, lastLingerMs).unref();
  }

  #close(): void {
    if (!this.isGone) this.#response.close();
  }
}
