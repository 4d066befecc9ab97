import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Lifetime } from './lifetime.ts';

/** @returns a port of 127.0.0.1 that another listener holds until the test ends */
export async function takenPort(t: Lifetime): Promise<string> {
  const holder = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void holder.close());
  await once(holder, 'listening');
  return String((holder.address() as AddressInfo).port);
}
