import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Lifetime } from '../../support/lifetime.ts';

/** A connection between a browser and a server that can be cut, and led to another server. */
export interface Cable {
  /** The address that the browser uses. */
  readonly origin: string;
  /** Ends every connection, and lets no new one through. */
  cut(): void;
  /** @param port of the server that new connections reach */
  plug(port: number): void;
}

/** Relays connections of 127.0.0.1 to a server's port. It ends with the test. */
export async function layCable(t: Lifetime, port: number): Promise<Cable> {
  const sockets = new Set<Socket>();
  let target: number | null = port;
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  };
  const endAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const relay = createServer((near) => {
    hold(near);
    if (target === null) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    hold(far);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  t.teardown(async () => {
    const closed = once(relay, 'close');
    relay.close();
    endAll();
    await closed;
  });
  return {
    origin: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    cut: () => {
      target = null;
      endAll();
    },
    plug: (next) => {
      target = next;
    },
  };
}
