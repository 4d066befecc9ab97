import t from 'tap';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { beginBody, besiege } from './robustness-fixture.ts';

/* Clients without a credential begin bodies and do not end them. What they use is not that of tokens and members. */
t.setTimeout(60_000);

const attacks = {
  'one byte of each, over a thousand connections of one address': {
    ...{ connections: 1100, addresses: 1, path: '/ofrep/v1/evaluate/flags/x', sent: 1 },
    signIn: 401,
  },
  'nearly all of each, from many addresses': {
    ...{ connections: 60, addresses: 20, path: '/ofrep/v1/evaluate/flags/x', sent: 60_000 },
    settings: { BURGEE_BUFFERED_BODY_BYTES_MAX: '2MiB' },
    signIn: 503,
  },
  'nothing of sign-ins, from many addresses': {
    ...{ connections: 400, addresses: 40, path: '/console/api/session', sent: 0 },
    settings: { BURGEE_IN_FLIGHT_MAX: '100' },
    signIn: 503,
  },
};

for (const [name, { connections, addresses, path, sent, signIn, ...attack }] of Object.entries(attacks)) {
  t.test(`bodies that are held: ${name}`, async (t) => {
    const { server, flag, token } = await besiege(t, {
      BURGEE_REQUEST_DEADLINE_MS: '60000',
      ...('settings' in attack ? attack.settings : {}),
    });
    for (let count = 0; count < connections; count += 1) {
      await beginBody(t, server.port, `127.0.2.${1 + (count % addresses)}`, path, sent);
    }
    const client = createHttpClient(t, { port: server.port });
    const signedIn = await client.send({
      method: 'POST',
      path: '/console/api/session',
      headers: {
        ...{ Origin: `http://127.0.0.1:${server.port}`, 'X-Burgee-Console': '1' },
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ email: 'ada@example.com', password: 'not her password' }),
    });
    t.equal(signedIn.status, signIn, 'where the addresses use up what there is, another one finds nothing');
    const patched = await client.send({
      method: 'PATCH',
      path: `/api/v1/flags/${flag}`,
      headers: bearer(token),
      body: JSON.stringify({ cohorts: ['x'.repeat(200), 'y'.repeat(200)] }),
    });
    t.equal(patched.status, 200, patched.text);
    await server.stop();
  });
}
