import type { RequestView } from './request-view.ts';

const lengths =
  'The headers disagree on the length of the request body. Send one Content-Length, or Transfer-Encoding: chunked.';
const hosts = 'The request has more than one Host header. Send one.';
const methods = 'The request has no method of HTTP. Methods are upper-case letters.';

/** Known to every HTTP parser. What follows another one may be read as anything. */
const commonMethods = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']);

/**
 * What in the head keeps another parser from finding the same end of the request: a proxy in front could then take a
 * part of it for the next one, or the other way round (request smuggling). Such a request is refused, and its connection
 * ends. Looks at every line: uWebSockets.js frames by the first of several, and takes an empty one for none.
 * @returns for the client; null when there is nothing
 */
export function framingFault(request: RequestView): string | null {
  const sizes = request.headerValues('content-length');
  const encodings = request.headerValues('transfer-encoding');
  if (sizes.length + encodings.length > 1) return lengths;
  if (sizes.some((size) => !/^\d{1,15}$/.test(size))) return lengths;
  if (encodings.some((encoding) => encoding.toLowerCase() !== 'chunked')) return lengths;
  if (request.headerValues('host').length > 1) return hosts;
  return request.method() === 'other' ? methods : null;
}

/**
 * Whether only uWebSockets.js has seen where the request ends. It reads chunks loosely, and shows what is in them and not
 * how they were framed. So the connection ends with the answer: a request that seems to follow is never looked at.
 */
export function hasUncertainEnd(request: RequestView): boolean {
  return request.header('transfer-encoding') !== '' || !commonMethods.has(request.method());
}
