import type { HeaderBlock } from './header-block.ts';
import { statusLine } from './status-line.ts';
import type { HttpResponse } from './uws.ts';

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
