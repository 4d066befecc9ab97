import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Finds ports for programs that do not accept port 0. All are held until the last is found, so that they differ.
 *
 * @returns ports of 127.0.0.1 on which no program listens now
 */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
