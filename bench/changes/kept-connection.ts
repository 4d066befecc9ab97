import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface PlainAnswer {
  readonly status: number;
  readonly body: Buffer;
}

interface Waiting {
  resolve(answer: PlainAnswer): void;
  reject(fault: Error): void;
}

const headEnd = Buffer.from('\r\n\r\n');
/** A server that takes longer to answer has failed. */
const answerTimeoutMs = 30_000;
/** A connection that idled longer is replaced. Servers close idle connections, Burgee after some 10 s. */
const idleMaxMs = 5000;

/**
 * One kept connection with at most one request under way. It is replaced after it idled, and after an answer that closes
 * it. It does little work for each request, because it shares cores with the measured server.
 */
export class KeptConnection {
  readonly #origin: string;
  #socket: Socket;
  #usedAtMs = performance.now();
  #waiting: Waiting | null = null;
  #received: Buffer = Buffer.alloc(0);

  private constructor(origin: string, socket: Socket) {
    this.#origin = origin;
    this.#socket = this.#adopt(socket);
  }

  #adopt(socket: Socket): Socket {
    const failIfUsed = (fault: Error): void => {
      if (socket === this.#socket) this.#fail(fault);
    };
    socket.setNoDelay(true);
    socket.on('data', (piece) => this.#receive(piece));
    socket.on('timeout', () => socket.destroy(new Error(`no answer within ${answerTimeoutMs} ms`)));
    socket.on('error', failIfUsed);
    socket.on('close', () => failIfUsed(new Error('the server closed a connection')));
    return socket;
  }

  /** @param origin such as `http://127.0.0.1:8080` */
  static async open(origin: string): Promise<KeptConnection> {
    return new KeptConnection(origin, await openSocket(origin));
  }

  /** @throws when the connection ends first, or another of its requests is under way */
  async ask(request: Buffer): Promise<PlainAnswer> {
    if (this.#waiting !== null) throw new Error('this connection is busy');
    if (this.#socket.destroyed || performance.now() - this.#usedAtMs > idleMaxMs) await this.#reopen();
    return await new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.setTimeout(answerTimeoutMs);
      this.#socket.write(request);
    });
  }

  async #reopen(): Promise<void> {
    this.#socket.destroy();
    this.#received = Buffer.alloc(0);
    this.#socket = this.#adopt(await openSocket(this.#origin));
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(piece: Buffer): void {
    this.#received = this.#received.length === 0 ? piece : Buffer.concat([this.#received, piece]);
    const bodyStart = this.#received.indexOf(headEnd) + headEnd.length;
    if (bodyStart < headEnd.length) return;
    const head = this.#received.toString('latin1', 0, bodyStart);
    const bodyEnd = bodyStart + contentLength(head);
    if (this.#received.length < bodyEnd) return;
    const answer = { status: Number(head.slice(9, 12)), body: this.#received.subarray(bodyStart, bodyEnd) };
    this.#received = this.#received.subarray(bodyEnd);
    const waiting = this.#settle();
    // The service closes some connections, such as to balance them over its workers, and announces it.
    if (/\r\nconnection: close\r\n/i.test(head)) this.#socket.destroy();
    waiting?.resolve(answer);
  }

  #settle(): Waiting | null {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#usedAtMs = performance.now();
    this.#socket.setTimeout(0);
    return waiting;
  }

  #fail(fault: Error): void {
    this.#settle()?.reject(fault);
  }
}

async function openSocket(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  return socket;
}

function contentLength(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer has no Content-Length:\n${head}`);
  return Number(length);
}
