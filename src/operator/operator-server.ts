import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Operator } from './operator.ts';
import { OperatorConnection } from './operator-connection.ts';
import { closeToOthers, prepareSocketPlace, removeSocketPlace } from './socket-place.ts';
import { Turns } from './turns.ts';

const connectionsMax = 16;

export interface OperatorServerOptions {
  readonly directory: string;
  readonly storeId: string;
  readonly operator: Operator;
  /** See `OperatorConnectionOptions`. */
  readonly silenceMs?: number;
}

export interface OperatorServer {
  readonly socketPath: string;
  /** Clients that are connected. */
  readonly connections: number;
  /** Refuses new connections, ends idle ones, waits for what is being written, and removes the socket. */
  stop(): Promise<void>;
}

/** Serves the operator on the data directory's Unix socket, mode 0600. The caller's process holds the claim. */
export async function serveOperator(options: OperatorServerOptions): Promise<OperatorServer> {
  const { directory, ...connectionOptions } = options;
  const socketPath = prepareSocketPlace(directory);
  const turns = new Turns();
  const connections = new Set<OperatorConnection>();
  const server = createServer((socket) => {
    const connection = new OperatorConnection(socket, { ...connectionOptions, turns });
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  server.maxConnections = connectionsMax;
  await listen(server, socketPath);
  return {
    socketPath,
    get connections() {
      return connections.size;
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      await Promise.all([...connections].map((connection) => connection.stop()));
      await closed;
      removeSocketPlace(directory);
    },
  };
}

async function listen(server: Server, socketPath: string): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(socketPath);
  await listening;
  closeToOthers(socketPath);
}
