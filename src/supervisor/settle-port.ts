import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Config } from '../config/config.ts';
import { describeRefusedListen, ListenError } from '../http/listen-error.ts';

/**
 * Port 0 asks for any free port. It is chosen before the threads start, because the links in error bodies name it; the
 * gateway then listens on it exclusively, so losing it in between ends the start with a message.
 */
export async function settlePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const probe = createServer();
  probe.listen(0, config.host);
  await once(probe, 'listening').catch((fault: unknown) => {
    throw new ListenError(describeRefusedListen(config.host, 0), { cause: fault });
  });
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const settle = (url: string): string => url.replace(/^(http:\/\/[^/]*):0(?=\/|$)/, `$1:${port}`);
  return { ...config, port, baseUrl: settle(config.baseUrl), docsUrl: settle(config.docsUrl) };
}
