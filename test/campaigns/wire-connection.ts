import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  readonly head: string;
  /** The body as received, with the frames of its chunks. */
  readonly body: string;
  readonly durationMs: number;
}

/** The server closed or refused the connection. The request may have been carried out. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

const headEnd = '\r\n\r\n';
const chunksEnd = '\r\n0\r\n\r\n';

/** A kept connection with one request at a time, which costs the test little. */
export class WireConnection {
  readonly #socket: Socket;
  #pieces: string[] = [];
  #length = 0;
  #expectedLength = 0;
  #isChunked = false;
  #askedAt = 0;
  #settle: { resolve(answer: WireAnswer): void; reject(fault: Error): void } | null = null;
  #isLost = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#isLost = true;
      this.#settle?.reject(new ConnectionLost('the connection was closed without an answer'));
      this.#settle = null;
    });
  }

  /** @throws ConnectionLost when no server listens */
  static open(port: number, localAddress = '127.0.0.1'): Promise<WireConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
      socket.once('connect', () => resolve(new WireConnection(socket)));
      socket.once('error', (fault) => reject(new ConnectionLost(fault.message)));
    });
  }

  /** Whether the connection is closed, or its last answer announced that. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** @param request encoded for the wire. Rejects with ConnectionLost. */
  ask(request: string): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#isLost) {
        reject(new ConnectionLost('the connection is closed'));
        return;
      }
      this.#settle = { resolve, reject };
      this.#pieces = [];
      this.#length = 0;
      this.#expectedLength = 0;
      this.#isChunked = false;
      this.#askedAt = performance.now();
      this.#socket.write(request);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#expectedLength === 0 && !this.#isChunked) this.#readHead();
    if (this.#isWhole()) this.#finish();
  }

  #readHead(): void {
    const text = this.#join();
    const end = text.indexOf(headEnd);
    if (end < 0) return;
    const head = text.slice(0, end);
    const declared = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    if (!this.#isChunked) this.#expectedLength = end + headEnd.length + Number(declared ?? 0);
  }

  #isWhole(): boolean {
    if (!this.#isChunked) return this.#expectedLength > 0 && this.#length >= this.#expectedLength;
    if (!(this.#pieces.at(-1) ?? '').endsWith('\n')) return false;
    const tail = this.#pieces.slice(-chunksEnd.length).join('');
    return tail.endsWith(chunksEnd);
  }

  #join(): string {
    const text = this.#pieces.join('');
    this.#pieces = [text];
    return text;
  }

  #finish(): void {
    const text = this.#join();
    const end = text.indexOf(headEnd);
    const durationMs = performance.now() - this.#askedAt;
    const settle = this.#settle;
    this.#settle = null;
    // The announcement comes before the end is seen: a request sent in between would be lost.
    if (/\r\nconnection: *close/i.test(text.slice(0, end))) this.#isLost = true;
    settle?.resolve({
      status: Number(text.slice(9, 12)),
      head: text.slice(0, end),
      body: text.slice(end + headEnd.length),
      durationMs,
    });
  }
}

/** @returns a GET, encoded for the wire */
export function getRequest(path: string, secret?: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorizationLine(secret)}\r\n`;
}

/** @returns a POST with a JSON body, encoded for the wire */
export function postRequest(path: string, body: unknown, secret?: string): string {
  return requestWithBody('POST', path, body, secret);
}

/** @returns a PATCH with a JSON body, encoded for the wire */
export function patchRequest(path: string, secret: string, body: unknown): string {
  return requestWithBody('PATCH', path, body, secret);
}

function requestWithBody(method: string, path: string, body: unknown, secret: string | undefined): string {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${authorizationLine(secret)}Content-Length: ${length}\r\n\r\n${text}`;
}

function authorizationLine(secret: string | undefined): string {
  return secret === undefined ? '' : `Authorization: Bearer ${secret}\r\n`;
}
