import { bootServer } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import type { Random } from '../../support/random.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { WireConnection } from '../wire-connection.ts';
import type { Misuse } from './misuse.ts';

const attempts = 400;
const limit = 3;
/** Networks around an address that are counted, by the hexadecimal digits that their addresses share. */
const networks = [
  { digits: 16, failuresMax: limit },
  { digits: 14, failuresMax: 4 * limit },
  { digits: 12, failuresMax: 16 * limit },
];

/** @returns 32 hexadecimal digits of an address in one of two /48 networks */
function addressOf(random: Random): string {
  const site = random.pick(['20010db80000', '20010db8ffff']);
  const subnet = random.integer(0, random.pick([3, 0xff, 0xffff]));
  return `${site}${subnet.toString(16).padStart(4, '0')}${random.integer(0, 0xffff).toString(16).padStart(16, '0')}`;
}

/** A client with a whole IPv6 network does not escape the limit of failed authentications. */
export const networksOfOneClient: Misuse = async (t, random) => {
  const server = await bootServer(t, {
    dataDir: temporaryDirectory(t),
    settings: { BURGEE_TRUSTED_PROXIES: '127.0.0.1', BURGEE_FAILED_AUTHENTICATION_LIMIT: String(limit) },
  });
  const connection = await WireConnection.open(server.port);
  t.teardown(() => connection.destroy());
  const failures = new Map<string, number>();
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const address = addressOf(random);
    const counted = networks.map(({ digits, failuresMax }) => ({
      key: address.slice(0, digits),
      failuresMax,
    }));
    const isFull = counted.some(({ key, failuresMax }) => (failures.get(key) ?? 0) >= failuresMax);
    const written = address.replaceAll(/(.{4})(?!$)/g, '$1:');
    const { status } = await connection.ask(
      `GET /api/v1/token HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${written}\r\n\r\n`,
    );
    expect(status === (isFull ? 429 : 401), `attempt ${attempt}, ${written}: ${status}, full ${isFull}`);
    if (!isFull) for (const { key } of counted) failures.set(key, (failures.get(key) ?? 0) + 1);
  }
  await server.stop();
  return attempts;
};
