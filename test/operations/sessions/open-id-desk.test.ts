import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { OpenIdDesk } from '../../../src/operations/sessions/open-id/open-id-desk.ts';
import { OpenIdProvider } from '../../../src/operations/sessions/open-id/open-id-provider.ts';

const beginning = { state: 'a state', nonce: 'a nonce', codeVerifier: 'a verifier' };

/** A desk whose provider takes connections and never answers. */
async function openSilent(t: Test) {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const provider = new OpenIdProvider({
    issuer: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    clientId: 'burgee',
    clientSecret: null,
    baseUrl: 'http://127.0.0.1:8080',
  });
  const logged: string[] = [];
  const desk = new OpenIdDesk(provider, pino({}, { write: (line: string) => logged.push(line) }));
  return { silent, sockets, provider, desk, logged };
}

t.test('sign-ins that wait for a silent provider are limited', async (t) => {
  const { silent, sockets, provider, desk, logged } = await openSilent(t);
  const asked = once(silent, 'connection');
  const waiting = Array.from({ length: 1024 }, (_, index) => desk.begin(beginning, String(index)));
  t.equal(await desk.begin(beginning, 'more'), 'unavailable', 'the next is refused at once');
  t.match(logged, [/"requestId":"more".*too many people sign in at once/]);
  await asked;
  provider.close();
  t.same(new Set(await Promise.all(waiting)), new Set(['provider-unreachable']));
  t.equal(sockets.size, 1, 'the provider got one request');

  const later = desk.begin(beginning, 'later');
  await once(silent, 'connection');
  provider.close();
  t.equal(await later, 'provider-unreachable', 'a place is free again');
});

t.test('browsers of one address that come back leave places to others', async (t) => {
  const { provider, desk, silent } = await openSilent(t);
  const back = (address: string) => desk.receive('code=a&state=s', beginning, address, 'request');
  const asked = once(silent, 'connection');
  const ofOne = Array.from({ length: 16 }, () => back('192.0.2.1'));
  t.equal(await back('192.0.2.1'), 'unavailable', 'it has half of the places');
  const other = back('198.51.100.1');
  await asked;
  provider.close();
  t.same(new Set(await Promise.all([...ofOne, other])), new Set(['provider-unreachable']));
});
