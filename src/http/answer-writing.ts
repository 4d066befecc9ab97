import { STATUS_CODES } from 'node:http';
import type { HeaderBlock } from './header-block.ts';
import type { PipeliningGuard } from './pipelining-guard.ts';
import type { ReadyAnswer } from './ready-answer.ts';
import type { HttpResponse } from './uws.ts';

const lines = new Map<number, string>(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

/** @returns for example `404 Not Found` */
function statusLine(status: number): string {
  return lines.get(status) ?? String(status);
}

/* uWebSockets.js can end an answer and close its connection in one call only, and only if the body is given whole in
   that call. Every other answer that ends its connection and has a known length is written so that it is whole on the
   wire, but not ended for the library. So the response object stays valid, to close the connection with; and if the
   client sends another request, the library closes the connection. */

export function writeHead(response: HttpResponse, status: number, headers: HeaderBlock): void {
  if (status !== 200) response.writeStatus(statusLine(status));
  response.writeHeader(headers.name, headers.value);
}

/**
 * What uWebSockets.js adds to the status and the headers: the rest of the first line, `Date`, `uWebSockets`, a
 * `Content-Length` of up to eight digits, and the ends of lines.
 */
const addedBytesMax = 100;

/**
 * A longer answer is always checked. A shorter one may be left to the library, which silently keeps the bytes that the
 * socket does not take: the guard checks a sample.
 */
const uncheckedBytesMax = 4096;

/** @returns at most this many bytes of an answer */
function bytesAtMost({ status, headers, bodyBytes }: ReadyAnswer): number {
  return addedBytesMax + statusLine(status).length + headers.name.length + headers.value.length + bodyBytes;
}

/**
 * Writes an answer within a handler, where uWebSockets.js gathers bytes for one write. If there are too many, and the
 * socket does not take them, the library drops the last piece: after `end`, the answer would lack its body and stay
 * open. So an answer that may be too long is written by `tryEnd`, which costs more and returns whether it was taken.
 * @returns whether all of it was taken
 */
export function writeAtOnce(response: HttpResponse, answer: ReadyAnswer, guard: PipeliningGuard): boolean {
  const bytes = bytesAtMost(answer);
  if (!guard.hasRoom(bytes) || bytes > uncheckedBytesMax) return tryToWrite(response, answer);
  writeHead(response, answer.status, answer.headers);
  response.end(answer.body);
  return true;
}

/** The same with a cork of its own, which the gathered bytes need once they were too many. */
export function writeChecked(response: HttpResponse, answer: ReadyAnswer, guard: PipeliningGuard): boolean {
  guard.hasRoom(bytesAtMost(answer));
  let isDone = false;
  response.cork(() => {
    isDone = tryToWrite(response, answer);
  });
  return isDone;
}

function tryToWrite(response: HttpResponse, { status, headers, body, bodyBytes }: ReadyAnswer): boolean {
  writeHead(response, status, headers);
  return response.tryEnd(body, bodyBytes)[1];
}

/** @returns the Content-Length of an answer without a body; null when it has none */
export function bareLength(status: number, body: string | Uint8Array): number | null {
  return status === 204 || status === 304 ? null : Buffer.byteLength(body);
}

/**
 * Ends an answer without a body. The length is written as a header: given to `endWithoutBody`, it would leave the
 * response open, and the connection unusable for the next request.
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

/** Writes an answer without a body, whole but not ended: the value of the last header contains the blank line. */
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

/**
 * Writes the end of a head, and a whole body, without ending the answer: its first byte with the length that the client
 * sees, the others with a total that is never reached. An empty piece instead of the first byte would end the answer in later
 * releases of the library.
 * @param body of at least two bytes. @returns whether the socket has taken it; its total is a byte more than its length
 */
export function writeBodyToClose(response: HttpResponse, body: string | Uint8Array): boolean {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHeader('Connection', 'close').tryEnd(bytes.subarray(0, 1), bytes.length);
  const [isTaken] = response.tryEnd(bytes.subarray(response.getWriteOffset()), bytes.length + 1);
  return isTaken;
}

/** An empty cork: it makes the library send what earlier writes left in its buffer. */
export function flushSocket(response: HttpResponse): boolean {
  response.cork(() => undefined);
  return true;
}
