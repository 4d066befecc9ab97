import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describeRefusedListen, ListenError } from '../http/listen-error.ts';
import { widestNetwork } from '../support/address-networks.ts';
import { HeldPlaces, hasShare } from '../support/fair-share.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { addressFromText } from '../worker/limits/address-finder.ts';

/** A connection without a stream is closed after this time: a provider keeps its stream open. */
export const idleMs = 30_000;

/** Connections without a stream, of which anybody can have some: what each may hold before it is cut off is bounded, too. */
export const idleMax = 1024;
/** Of the places for them that are free, one address may have as many as it leaves. */
const idleWeight = 1;

export interface ConnectionsOptions {
  readonly connectionsMax: number;
  readonly onConnection: (socket: Socket) => void;
  readonly onCrowded: () => void;
  readonly onIdle: () => void;
}

interface Connection {
  readonly socket: Socket;
  /** The address of its client, or the IPv6 /48 around it. */
  readonly network: string;
  streams: number;
  /** When its last stream ended, or it was opened. */
  idleSince: number;
}

/**
 * The listener and its sockets. grpc-js is handed each connection: of its own it bounds neither their number nor how long
 * one without a stream stays open, and it cannot cut off a client that takes nothing.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #server: Server;
  readonly #connections = new Map<string, Connection>();
  /** Connections without a stream, by address: anybody can have them, without a token. */
  readonly #idle = new HeldPlaces();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
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
    // A client with a delegated IPv6 network has thousands of /64.
    const network = widestNetwork(addressFromText(address)?.limitKey ?? address);
    if (!this.#hasRoom(network) || this.#connections.has(peer)) {
      socket.destroy();
      this.#options.onCrowded();
      return;
    }
    const connection: Connection = { socket, network, streams: 0, idleSince: monotonicMs() };
    this.#connections.set(peer, connection);
    this.#idle.take(network);
    socket.once('close', () => {
      this.#connections.delete(peer);
      if (connection.streams === 0) this.#idle.give(network);
    });
    // Without a listener an error of the socket would end the thread.
    socket.on('error', () => undefined);
    this.#options.onConnection(socket);
  }

  #hasRoom(network: string): boolean {
    const free = Math.min(this.#options.connectionsMax - this.#connections.size, idleMax - this.#idle.size);
    return free > 0 && hasShare(this.#idle.of(network), free, idleWeight);
  }

  /** @param peer address and port of the client. @param change 1 or -1 */
  noteStream(peer: string, change: number): void {
    const connection = this.#connections.get(peer);
    if (connection === undefined) return;
    const { network, streams } = connection;
    if (streams === 0) this.#idle.give(network);
    connection.streams += change;
    if (connection.streams === 0) this.#idle.take(network);
    connection.idleSince = monotonicMs();
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
