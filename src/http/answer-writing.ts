import { STATUS_CODES } from 'node:http';
import type { UnsentAnswers } from './answer-policy.ts';
import type { HeaderBlock } from './header-block.ts';
import type { HttpResponse } from './uws.ts';

const lines = new Map<number, string>(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

/** @returns for example `404 Not Found` */
function statusLine(status: number): string {
  return lines.get(status) ?? String(status);
}

/*
 * uWebSockets.js can end an answer and close its connection in one call only, and only an answer whose body is given whole
 * in that call. Every other answer that ends its connection is written so that it is whole on the wire and not yet ended for
 * the library. That keeps the response, to close the connection with; and if the client sends another request, the
 * library closes the connection.
 */

export function writeHead(response: HttpResponse, status: number, headers: HeaderBlock): void {
  if (status !== 200) response.writeStatus(statusLine(status));
  response.writeHeader(headers.name, headers.value);
}

/** @returns what an answer says of its length when no body follows; null: nothing */
export function bareLength(status: number, body: string | Uint8Array): number | null {
  return status === 204 || status === 304 ? null : Buffer.byteLength(body);
}

/**
 * Ends an answer that no body follows. The length is a header like any other: given to `endWithoutBody`, it would leave the
 * response open, and the connection of no use for the next request.
 */
export function endBare(
  response: HttpResponse,
  status: number,
  headers: HeaderBlock,
  length: number | null,
): void {
  writeHead(response, status, headers);
  if (length !== null) response.writeHeader('Content-Length', String(length));
  response.endWithoutBody();
}

/** Writes an answer that no body follows, whole but not ended: a header's value brings the blank line. */
export function writeBareToClose(
  response: HttpResponse,
  status: number,
  headers: HeaderBlock,
  length: number | null,
): void {
  const lines = [headers.value, `Date: ${new Date().toUTCString()}`, 'Connection: close'];
  if (length !== null) lines.push(`Content-Length: ${length}`);
  if (status !== 200) response.writeStatus(statusLine(status));
  response.writeHeader(headers.name, `${lines.join('\r\n')}\r\n`);
}

/** Writes the end of an answer whose head was begun. @param hasChunks otherwise it has no body, and the head goes on */
export function writeChunkedEnd(response: HttpResponse, hasChunks: boolean): void {
  // The last chunk, and a trailer, since only a header can be written here.
  if (hasChunks) response.writeHeader('\r\n0\r\nX-Complete', 'true\r\n');
  else response.writeHeader('Date', `${new Date().toUTCString()}\r\nContent-Length: 0\r\n`);
}

/** What is left of an answer that the client's socket has not taken. */
interface Rest {
  readonly body: string | Uint8Array;
  /** As it was given to `tryEnd` with the body. */
  readonly total: number;
  readonly unsent: UnsentAnswers;
  /** @param listener called once if the client goes away */
  onAborted(listener: () => void): void;
  /** Asked before each write. @returns whether the answer is whole, and nothing of it is left to be given */
  isWhole(): boolean;
  /** The socket has taken the rest. */
  onTaken(): void;
}

/** Keeps a copy of what is left, counted, and hands it over as the socket takes more; without room it closes. */
export function keepRest(response: HttpResponse, { body, total, unsent, ...hooks }: Rest): void {
  const start = response.getWriteOffset();
  // A copy: it may be a view of memory that others write.
  const rest = new Uint8Array(typeof body === 'string' ? Buffer.from(body) : body).slice(start);
  if (!unsent.take(rest.length)) {
    response.close();
    return;
  }
  let isFlushed = false;
  const flush = (): void => {
    if (!isFlushed) unsent.give(rest.length);
    isFlushed = true;
  };
  hooks.onAborted(flush);
  response.onWritable((offset) => {
    if (hooks.isWhole()) return flushSocket(response);
    const [isTaken, isDone] = response.tryEnd(rest.subarray(offset - start), total);
    // With a total that is never reached the answer is whole when its last byte was taken.
    if (!isDone && !(isTaken && start + rest.length < total)) return isTaken;
    flush();
    if (!isDone) hooks.onTaken();
    return isTaken;
  });
}

/** An empty cork: what is left of earlier writes goes to the socket. */
export function flushSocket(response: HttpResponse): boolean {
  response.cork(() => undefined);
  return true;
}
