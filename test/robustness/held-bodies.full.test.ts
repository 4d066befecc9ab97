import t from 'tap';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { beginBody, besiege } from './robustness-fixture.ts';

/*
 * Clients without credentials begin bodies and do not end them. The memory for bodies has shares, so members still sign
 * in and tokens still change flags.
 */
t.setTimeout(60_000);

const signIn = JSON.stringify({ email: 'ada@example.com', password: 'not her password' });

for (const [name, connections, addresses, sent] of [
  ['one byte of each, over a thousand connections', 1100, 1, 1],
  ['nearly all of each, from many addresses', 60, 20, 60_000],
] as const) {
  t.test(`bodies that are held: ${name}`, async (t) => {
    const { server, flag, token } = await besiege(t, {
      BURGEE_BUFFERED_BODY_BYTES_MAX: sent === 1 ? '64MiB' : '2MiB',
      BURGEE_REQUEST_DEADLINE_MS: '60000',
    });
    const client = createHttpClient(t, { port: server.port });
    for (let count = 0; count < connections; count += 1) {
      const from = `127.0.2.${1 + (count % addresses)}`;
      await beginBody(t, server.port, from, '/ofrep/v1/evaluate/flags/x', sent);
    }
    const origin = `http://127.0.0.1:${server.port}`;
    const signedIn = await client.send({
      method: 'POST',
      path: '/console/api/session',
      headers: { Origin: origin, 'X-Burgee-Console': '1', 'Content-Type': 'application/json' },
      body: signIn,
    });
    t.equal(signedIn.status, 401, signedIn.text);
    const body = JSON.stringify({ cohorts: ['x'.repeat(200), 'y'.repeat(200)] });
    const patched = await client.send({
      method: 'PATCH',
      path: `/api/v1/flags/${flag}`,
      headers: bearer(token),
      body,
    });
    t.equal(patched.status, 200, patched.text);
    await server.stop();
  });
}

t.test('sign-ins whose bodies do not come take no place of a token', async (t) => {
  const { server, flag, token } = await besiege(t, {
    BURGEE_IN_FLIGHT_MAX: '100',
    BURGEE_REQUEST_DEADLINE_MS: '60000',
  });
  const client = createHttpClient(t, { port: server.port });
  for (let count = 0; count < 200; count += 1)
    await beginBody(t, server.port, `127.0.2.${1 + (count % 40)}`, '/console/api/session', 0);
  const read = await client.send({ path: `/api/v1/flags/${flag}`, headers: bearer(token) });
  t.equal(read.status, 200, read.text);
  const body = JSON.stringify({ enabled: false });
  const patched = await client.send({
    method: 'PATCH',
    path: `/api/v1/flags/${flag}`,
    headers: bearer(token),
    body,
  });
  t.equal(patched.status, 200, patched.text);
  await server.stop();
});
