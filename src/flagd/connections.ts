import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describeRefusedListen, ListenError } from '../http/listen-error.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { addressFromText } from '../worker/limits/address-finder.ts';
import { addressClient, Pool, type Quota } from '../worker/limits/quota.ts';

/** A connection without a stream is closed after this time: a provider keeps its stream open. */
export const idleMs = 30_000;

/** Connections without a stream, which need no token. One address gets a quarter of them. */
export const idleMax = 1024;

export interface ConnectionsOptions {
  readonly connectionsMax: number;
  readonly onConnection: (socket: Socket) => void;
  /** A connection was refused because there are too many. */
  readonly onFull: () => void;
  readonly onIdle: () => void;
}

interface Connection {
  readonly socket: Socket;
  /** Its slot while it has no stream. */
  readonly idle: Quota;
  streams: number;
  /** When its last stream ended, or it was opened. */
  idleSince: number;
}

/**
 * The listener and its sockets, which it hands to grpc-js. grpc-js itself does not limit connections, does not close
 * idle ones, and cannot cut off a client that reads nothing.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #server: Server;
  readonly #connections = new Map<string, Connection>();
  readonly #idle: Pool;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    const max = Math.min(idleMax, options.connectionsMax);
    this.#idle = new Pool(max, 1, { isUndivided: true });
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  get count(): number {
    return this.#connections.size;
  }

  /** @returns the port that was taken. @throws ListenError when it cannot be taken */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen({ host, port, exclusive: true });
    await once(this.#server, 'listening').catch((fault: unknown) => {
      throw new ListenError(describeRefusedListen(host, port, 'flagdSync'), { cause: fault });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const peer = `${address}:${socket.remotePort}`;
    const idle = this.#idle.quotaOf(addressClient(addressFromText(address)?.limitKey ?? address));
    const isFull = this.#connections.size >= this.#options.connectionsMax || this.#connections.has(peer);
    if (isFull || !idle.take(1)) {
      socket.destroy();
      this.#options.onFull();
      return;
    }
    this.#connections.set(peer, { socket, idle, streams: 0, idleSince: monotonicMs() });
    socket.once('close', () => {
      this.#connections.delete(peer);
      idle.end();
    });
    // Without a listener an error of the socket would end the thread.
    socket.on('error', () => undefined);
    this.#options.onConnection(socket);
  }

  /** @param peer address and port of the client. @param change 1 or -1 */
  noteStream(peer: string, change: number): void {
    const connection = this.#connections.get(peer);
    if (connection === undefined) return;
    connection.streams += change;
    connection.idleSince = monotonicMs();
    if (connection.streams > 0) connection.idle.end();
    else if (!connection.idle.take(1)) connection.socket.destroy();
  }

  /** @returns whether the client had a connection that was not cut yet */
  cut(peer: string): boolean {
    const socket = this.#connections.get(peer)?.socket;
    if (socket === undefined || socket.destroyed) return false;
    socket.destroy();
    return true;
  }

  /** Closes connections that have had no stream for too long. */
  closeIdle(): void {
    const now = monotonicMs();
    for (const { socket, streams, idleSince } of this.#connections.values()) {
      if (streams > 0 || now - idleSince < idleMs) continue;
      socket.destroy();
      this.#options.onIdle();
    }
  }

  stopListening(): void {
    this.#server.close();
  }

  cutAll(): void {
    for (const { socket } of this.#connections.values()) socket.destroy();
  }
}
