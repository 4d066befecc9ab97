import { ConsoleClient } from '../../console/console-client.ts';
import { password, twoOrganisations } from '../../console/console-fixture.ts';
import { bootServer } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import { provision } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Misuse } from './misuse.ts';

const email = 'owner@acme.example';
/** Wrong passwords for one account that an address may try in a window. */
const wrongMax = 10;

/** Strangers who try passwords lock themselves out, and never the member, who is at another address. */
export const strangersAtAnAccount: Misuse = async (t, random) => {
  const dataDir = temporaryDirectory(t);
  await provision(dataDir, temporaryDirectory(t), twoOrganisations);
  const server = await bootServer(t, { dataDir });
  const strangers = Array.from({ length: random.integer(1, 4) }, (_, index) => `127.0.3.${index + 1}`);
  let attempts = 0;
  for (const localAddress of strangers) {
    const stranger = new ConsoleClient(t, { port: server.port, localAddress });
    const tried = random.integer(1, wrongMax + 3);
    for (let turn = 0; turn < tried; turn += 1) {
      const written = random.pick([email, email.toUpperCase(), ` ${email}`.trim()]);
      const { status } = await stranger.send('POST', '/session', {
        email: written,
        password: `guess ${turn}`,
      });
      expect(status === (turn < wrongMax ? 401 : 429), `guess ${turn} of ${localAddress}: ${status}`);
      attempts += 1;
    }
    const right = await stranger.send('POST', '/session', { email, password });
    expect(
      right.status === (tried < wrongMax ? 200 : 429),
      `${tried} guesses, then the password: ${right.status}`,
    );
  }
  const member = new ConsoleClient(t, { port: server.port, localAddress: '127.0.4.1' });
  const signedIn = await member.send('POST', '/session', { email, password });
  expect(signedIn.status === 200, `the member cannot sign in: ${signedIn.text}`);
  await server.stop();
  return attempts;
};
