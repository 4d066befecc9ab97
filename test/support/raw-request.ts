import { connect, type Socket } from 'node:net';
import type { Lifetime } from './lifetime.ts';

/** An answer as it is on the wire. */
export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** A connection to which a test writes arbitrary bytes. */
export interface RawConnection {
  write(bytes: Uint8Array | string): void;
  /** Writes, and resolves when the system has taken all bytes, or the connection is closed. */
  written(bytes: Uint8Array | string): Promise<void>;
  /** The next complete response; null if the connection closes (or `timeoutMs` passes) without one. */
  response(timeoutMs?: number): Promise<RawResponse | null>;
  /** The bytes so far as one head and the rest, which is empty for an answer to HEAD. @throws without a head */
  head(): { readonly head: string; readonly text: string };
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  readonly isClosed: () => boolean;
  /** Stops reading: the server's bytes stay in the buffers. */
  pause(): void;
  /** Continues reading. */
  resume(): void;
  /** Half-closes: the server sees the end of the stream. */
  end(): void;
  destroy(): void;
}

/** Longer than any deadline of the service: a request that takes longer has no answer. */
const answerTimeoutMs = 20_000;

export async function openRawConnection(
  t: Lifetime,
  port: number,
  localAddress = '127.0.0.1',
): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  t.teardown(() => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return watchSocket(socket);
}

/** Sends bytes on a new connection. @returns the answer; null if the server closed without one */
export async function rawRequest(
  t: Lifetime,
  port: number,
  bytes: Uint8Array | string,
  localAddress?: string,
): Promise<RawResponse | null> {
  const connection = await openRawConnection(t, port, localAddress);
  connection.write(bytes);
  const response = await connection.response();
  connection.destroy();
  return response;
}

function watchSocket(socket: Socket): RawConnection {
  let received = Buffer.alloc(0);
  let isClosed = false;
  const watchers = new Set<() => void>();
  const wake = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  socket.on('data', (piece) => {
    received = Buffer.concat([received, piece]);
    wake();
  });
  // A server may refuse with a reset. `close` follows, which tests check.
  socket.on('error', wake);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isClosed = true;
      resolve();
      wake();
    });
  });
  return {
    closed,
    isClosed: () => isClosed,
    head: () => {
      const text = received.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) throw new Error(`no head has come: ${text}`);
      return { head: text.slice(0, end), text: text.slice(end + 4) };
    },
    write: (bytes) => {
      if (!isClosed) socket.write(bytes);
    },
    written: async (bytes) => {
      if (isClosed) return;
      const taken = new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      await Promise.race([taken, closed]);
    },
    pause: () => {
      socket.pause();
    },
    resume: () => {
      socket.resume();
    },
    end: () => socket.end(),
    destroy: () => socket.destroy(),
    response: (timeoutMs = answerTimeoutMs) =>
      new Promise((resolve) => {
        const finish = (response: RawResponse | null): void => {
          clearTimeout(timer);
          watchers.delete(look);
          resolve(response);
        };
        const look = (): void => {
          const parsed = parseResponse(received, isClosed);
          if (parsed !== null) {
            received = received.subarray(parsed.length);
            finish(parsed.response);
          } else if (isClosed) finish(null);
        };
        const timer = setTimeout(() => finish(null), timeoutMs);
        watchers.add(look);
        look();
      }),
  };
}

/** @returns the first response in `bytes` and how many bytes it took; null while it is incomplete. */
function parseResponse(
  bytes: Buffer,
  isClosed: boolean,
): { readonly response: RawResponse; readonly length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  const start = headEnd + 4;
  const declared = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (declared !== undefined) {
    const length = start + Number(declared);
    if (bytes.length < length) return null;
    return { response: { status, head, body: bytes.subarray(start, length) }, length };
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return parseChunked(bytes, start, status, head);
  if (status === 204 || status === 304) {
    return { response: { status, head, body: Buffer.alloc(0) }, length: start };
  }
  if (!isClosed) return null;
  return { response: { status, head, body: bytes.subarray(start) }, length: bytes.length };
}

function parseChunked(
  bytes: Buffer,
  start: number,
  status: number,
  head: string,
): { readonly response: RawResponse; readonly length: number } | null {
  const pieces: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const chunkStart = lineEnd + 2;
    if (bytes.length < chunkStart + size + 2) return null;
    if (size === 0) {
      const length = lineEnd + 4;
      if (bytes.toString('latin1', lineEnd, length) !== '\r\n\r\n')
        throw new Error('the answer has a trailer');
      return { response: { status, head, body: Buffer.concat(pieces) }, length };
    }
    pieces.push(bytes.subarray(chunkStart, chunkStart + size));
    at = chunkStart + size + 2;
  }
}
