import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import type { BenchRequest } from './request-list.ts';

const connectTimeoutMs = 10_000;

/** All connections read into the same buffer. Each read is processed before the next one. */
const received = Buffer.allocUnsafeSlow(256 * 1024);

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The events that a connection reports to its owner. */
export interface ConnectionEvents {
  onAnswer(connection: OpenLoopConnection, status: number): void;
  /** It has closed, from either side; also after an answer that announced it. */
  onClose(connection: OpenLoopConnection): void;
  /** The server sent something that is not an HTTP answer. The connection is unusable from then on. */
  onFault(error: Error): void;
}

/** One kept connection with at most one request under way. */
export class OpenLoopConnection {
  /** The request under way, or else the latest one; null before the first. */
  request: BenchRequest | null = null;
  /** When that request was due, by `performance.now()`. */
  dueMs = 0;
  isWaiting = false;
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  readonly #events: ConnectionEvents;

  private constructor(address: Address, events: ConnectionEvents) {
    this.#events = events;
    this.#socket = connect({
      ...address,
      noDelay: true,
      onread: { buffer: received, callback: (length) => this.#read(length) },
    });
  }

  /** @throws when the server does not accept the connection */
  static open(address: Address, events: ConnectionEvents): Promise<OpenLoopConnection> {
    const connection = new OpenLoopConnection(address, events);
    const socket = connection.#socket;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(new Error('no answer to connect')), connectTimeoutMs);
      let problem: Error | null = null;
      socket.on('error', (error) => {
        problem = error;
      });
      socket.on('connect', () => {
        clearTimeout(timer);
        socket.on('close', () => events.onClose(connection));
        resolve(connection);
      });
      socket.on('close', () => {
        clearTimeout(timer);
        const why = problem?.message ?? 'the server closed it';
        reject(new Error(`cannot connect to ${address.host}:${address.port}: ${why}`));
      });
    });
  }

  /** Whether the latest answer says that the server closes the connection. */
  get isClosing(): boolean {
    return this.#reader.isLast;
  }

  /** The caller ensures that no request is under way. */
  send(request: BenchRequest, bytes: Buffer, dueMs: number): void {
    this.request = request;
    this.dueMs = dueMs;
    this.isWaiting = true;
    this.#socket.write(bytes);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(length: number): boolean {
    try {
      const status = this.#reader.read(received, length);
      if (status !== 0) this.#answer(status);
    } catch (error) {
      this.destroy();
      this.#events.onFault(error as Error);
    }
    return true;
  }

  #answer(status: number): void {
    if (!this.isWaiting) throw new Error('an answer came without a request');
    this.isWaiting = false;
    this.#events.onAnswer(this, status);
    if (this.#reader.isLast) this.destroy();
  }
}
