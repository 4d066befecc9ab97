import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';

export interface RequestOptions {
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request, also while its answer is read. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request over its own connection, which does not keep the process running. Redirects are not followed: the token
 * is for this address alone.
 * @returns the answer, whose body has not been read
 */
export function send(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? requestSecure : requestPlain;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request: ClientRequest = open(url, {
      method,
      headers: { ...headers, ...length },
      agent: false,
      signal,
    });
    request.on('socket', (socket) => socket.unref());
    request.once('response', resolve);
    // Once the answer has begun, its stream reports errors.
    request.on('error', reject);
    request.end(body);
  });
}

/**
 * Reads a whole body.
 * @throws Error when it is longer than `bytesMax`, or is cut off
 */
export async function readText(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer) {
    length += (piece as Buffer).length;
    if (length > bytesMax) throw new Error(`its answer is longer than ${bytesMax} bytes`);
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** @returns milliseconds; null without a readable `Retry-After` */
export function retryAfterOf(answer: IncomingMessage): number | null {
  const value = answer.headers['retry-after'];
  if (value === undefined) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

export function mediaTypeOf(answer: IncomingMessage): string {
  return (answer.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
