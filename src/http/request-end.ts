import type { RequestView } from './request-view.ts';

/* Where a request ends: what a head says of its body, and what could make another parser see another end. */

const lengths =
  'The headers disagree on the length of the request body. Send one Content-Length, or Transfer-Encoding: chunked.';
const severalHosts = 'The request has more than one Host header. Send one.';
const methods = 'The request method is not valid. Send an HTTP method in upper-case letters.';

/** Methods that every HTTP parser knows. After another method, parsers may disagree on what follows. */
const commonMethods = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']);

/**
 * Finds what in the head could make another parser see another end of the request: a proxy in front could then take a
 * part of it for the next request, or the other way round (request smuggling). Such a request is refused, and its
 * connection ends. Every line is checked, because uWebSockets.js frames by the first of several headers, and takes an
 * empty one as absent.
 * @returns a message for the client; null when there is no fault
 */
export function framingFault(request: RequestView): string | null {
  sizes = 0;
  encodings = 0;
  hosts = 0;
  isOddLength = false;
  request.eachLine(noteFraming);
  if (sizes + encodings > 1 || isOddLength) return lengths;
  if (hosts > 1) return severalHosts;
  return request.method() === 'other' ? methods : null;
}

let sizes = 0;
let encodings = 0;
let hosts = 0;
let isOddLength = false;

function noteFraming(name: string, value: string): void {
  if (name === 'host') hosts += 1;
  else if (name === 'content-length') {
    sizes += 1;
    isOddLength ||= !/^\d{1,15}$/.test(value);
  } else if (name === 'transfer-encoding') {
    encodings += 1;
    isOddLength ||= value.toLowerCase() !== 'chunked';
  }
}

/**
 * Whether only uWebSockets.js has seen where the request ends. It reads chunks loosely, and shows their content but not
 * their framing. So the connection ends with the answer: what looks like another request behind it is never handled.
 */
export function hasUncertainEnd(request: RequestView): boolean {
  return request.header('transfer-encoding') !== '' || !commonMethods.has(request.method());
}

/** Whether the client has said that it sends no request after this one. */
export function endsConnection(request: RequestView): boolean {
  return saysClose(request.header('connection'));
}

/**
 * @param connection the value of that header. uWebSockets.js looks only whether it has five bytes, of which a character
 * takes several if it is not ASCII
 */
export function saysClose(connection: string): boolean {
  const length = 'close'.length;
  return connection.length === length || (connection.length < length && /\P{ASCII}/u.test(connection));
}
