import { ConsoleClient } from '../../console/console-client.ts';
import { password, twoOrganisations } from '../../console/console-fixture.ts';
import { bootServer } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import { provision } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Misuse } from './misuse.ts';

const email = 'owner@acme.example';
/** Wrong passwords for one account that an address may try in a window, before and after it had so many from all. */
const wrongMax = 10;
const wrongMaxThen = 2;
const wrongOfAccountMax = 100;

/**
 * Strangers who try passwords lock themselves out, and never the member, who is at another address. In some cases they
 * are so many that each address has fewer attempts, but still has some.
 */
export const strangersAtAnAccount: Misuse = async (t, random) => {
  const dataDir = temporaryDirectory(t);
  await provision(dataDir, temporaryDirectory(t), twoOrganisations);
  const server = await bootServer(t, { dataDir });
  let wrongOfAccount = 0;
  /** Tries wrong passwords, and at last the right one. */
  const attempt = async (localAddress: string, wrong: number): Promise<void> => {
    const client = new ConsoleClient(t, { port: server.port, localAddress });
    let own = 0;
    const isAllowed = (): boolean => own < (wrongOfAccount < wrongOfAccountMax ? wrongMax : wrongMaxThen);
    for (let turn = 0; turn < wrong; turn += 1) {
      const written = random.pick([email, email.toUpperCase(), `O${email.slice(1)}`]);
      const expected = isAllowed() ? 401 : 429;
      const asked = { email: written, password: `guess ${turn}` };
      const { status } = await client.send('POST', '/session', asked);
      expect(status === expected, `guess ${turn} of ${localAddress}: ${status}, not ${expected}`);
      if (status === 401) [own, wrongOfAccount] = [own + 1, wrongOfAccount + 1];
    }
    const expected = isAllowed() ? 200 : 429;
    const { status } = await client.send('POST', '/session', { email, password });
    expect(status === expected, `after ${own} guesses of ${localAddress}: ${status}, not ${expected}`);
  };
  const strangers = random.pick([1, 2, 4, 12]);
  for (let index = 1; index <= strangers; index += 1) {
    await attempt(`127.0.3.${index}`, strangers > 4 ? wrongMax : random.integer(1, wrongMax + 3));
  }
  await attempt('127.0.4.1', 1);
  await attempt('127.0.4.2', 0);
  await server.stop();
  return wrongOfAccount;
};
