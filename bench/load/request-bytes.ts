import type { BenchRequest, RequestList } from './request-list.ts';

/**
 * Characters allowed in a request's path: others would split the request line, or the generators would read them
 * differently.
 */
const pathPattern = /^\/[\x21-\x7e]*$/;

/**
 * Encodes a list's requests for the wire, each for a kept connection.
 *
 * @throws RangeError for a path with other characters
 */
export function encodeRequests({ origin, requests, headers }: RequestList): readonly Buffer[] {
  const common = headerLines({ host: new URL(origin).host, ...headers });
  return requests.map((request) => encodeRequest(request, common));
}

function encodeRequest(request: BenchRequest, common: string): Buffer {
  if (!pathPattern.test(request.path))
    throw new RangeError(`a request's path must be encoded and begin with a slash: ${request.path}`);
  const method = request.method ?? 'GET';
  const body = request.body ?? '';
  const own: Record<string, string> = {};
  if (request.body !== undefined) own['content-type'] = 'application/json';
  if (method !== 'GET' || body !== '') own['content-length'] = String(Buffer.byteLength(body));
  return Buffer.from(`${method} ${request.path} HTTP/1.1\r\n${common}${headerLines(own)}\r\n${body}`);
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/** @returns "GET /path", for messages */
export function describeRequest(request: BenchRequest): string {
  return `${request.method ?? 'GET'} ${request.path}`;
}
