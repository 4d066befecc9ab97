import { connect, createServer, type Socket } from 'node:net';
import type { Lifetime } from '../support/lifetime.ts';

/** A way to a port that can be cut, and mended. */
export interface CutLink {
  readonly port: number;
  cut(): void;
  mend(): void;
}

/** Passes bytes on to a port of this machine until it is cut: then it ends all connections, and takes no new ones. */
export async function linkTo(t: Lifetime, port: number): Promise<CutLink> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  t.teardown(() => {
    cut();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return {
    port: address.port,
    cut,
    mend: () => {
      isCut = false;
    },
  };
}
