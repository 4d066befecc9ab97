import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import t from 'tap';
import { OpenIdDesk } from '../../../src/operations/sessions/open-id/open-id-desk.ts';
import { OpenIdProvider } from '../../../src/operations/sessions/open-id/open-id-provider.ts';

const beginning = { state: 'a state', nonce: 'a nonce', codeVerifier: 'a verifier' };

t.test('sign-ins that wait for a silent provider are limited', async (t) => {
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
  const asked = once(silent, 'connection');
  const logged: string[] = [];
  const desk = new OpenIdDesk(provider, pino({}, { write: (line: string) => logged.push(line) }));
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
