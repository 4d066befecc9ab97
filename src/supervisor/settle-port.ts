import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Config } from '../config/config.ts';
import { describeRefusedListen, ListenError } from '../http/listen-error.ts';

/** The settled configuration, and the hold on its port. */
export interface SettledPort {
  readonly config: Config;
  /** Gives the port back: the front end listens on it right after. A second call has no effect. */
  release(): Promise<void>;
}

/**
 * Port 0 asks for any free port. It is chosen before the threads start, because the links in error bodies contain it,
 * and held until the front end listens, so that no one else can get it, not even the admin listener with a port 0 of
 * its own.
 * @throws ListenError when the address cannot be listened on
 */
export async function settlePort(config: Config): Promise<SettledPort> {
  if (config.port !== 0) return { config, release: () => Promise.resolve() };
  const listener = createServer((socket) => socket.destroy());
  listener.listen(0, config.host);
  await once(listener, 'listening').catch((fault: unknown) => {
    throw new ListenError(describeRefusedListen(config.host, 0), { cause: fault });
  });
  const { port } = listener.address() as AddressInfo;
  const settle = (url: string): string => url.replace(/^(http:\/\/[^/]*):0(?=\/|$)/, `$1:${port}`);
  const settled = { ...config, port, baseUrl: settle(config.baseUrl), docsUrl: settle(config.docsUrl) };
  return { config: settled, release: () => close(listener) };
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  await once(server, 'close');
}
