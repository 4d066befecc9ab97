import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { TokenUse } from '../../src/domain/token/token-use.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { bootServer } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { provisionOne } from './lifecycle-fixture.ts';

/* Uses of a token are collected in memory, and recorded after a few seconds and when the service ends. */
t.setTimeout(60_000);

/** Reads the store beside the server until a condition holds; the test's time limit bounds the wait. */
async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await setTimeout(50);
  }
}

function readerOf(test: Test, directory: string) {
  const reader = openStoreReader({ directory, mapBytes: 2 ** 30 });
  test.teardown(() => reader.close());
  return {
    uses: (tokenId: string): TokenUse[] => {
      reader.renew();
      return [...reader.queries.usesOf(tokenId)];
    },
  };
}

t.test('SIGTERM records the latest uses', async (test) => {
  const { dataDir, flag, secret, tokenId } = await provisionOne(test);
  const server = await bootServer(test, { dataDir });
  const client = createHttpClient(test, { port: server.port });
  const path = `/api/v1/flags/${flag}`;
  for (let round = 0; round < 3; round += 1) {
    test.equal((await client.send({ path, headers: bearer(secret) })).status, 200);
  }
  const body = '{"enabled":true}';
  test.equal((await client.send({ method: 'PATCH', path, headers: bearer(secret), body })).status, 200);
  test.equal((await client.send({ path: '/api/v1/nothing', headers: bearer(secret) })).status, 404);
  test.equal((await client.send({ path, headers: bearer(`${secret}x`) })).status, 401);
  await server.stop();
  const uses = readerOf(test, dataDir).uses(tokenId);
  const counts = Object.fromEntries(uses.map(({ route, count }) => [route, count]));
  test.strictSame(counts, {
    'GET /api/v1/flags/{id}': 3,
    'PATCH /api/v1/flags/{id}': 1,
    'unknown endpoint': 1,
  });
  test.strictSame(new Set(uses.map(({ address }) => address)), new Set(['127.0.0.1']));
});

t.test('while the service runs, uses are recorded within a few seconds', async (test) => {
  const { dataDir, secret, tokenId } = await provisionOne(test);
  const server = await bootServer(test, { dataDir });
  const client = createHttpClient(test, { port: server.port });
  const startedAt = Date.now();
  test.equal((await client.send({ path: '/api/v1/token', headers: bearer(secret) })).status, 200);
  const reader = readerOf(test, dataDir);
  const use = await eventually(() => reader.uses(tokenId)[0]);
  test.match(use, { route: 'GET /api/v1/token', count: 1, environment: null });
  test.ok(use.at >= startedAt && use.at <= Date.now());
  server.signal('SIGKILL');
  await server.ended;
  test.equal(reader.uses(tokenId).length, 1, 'recorded uses survive a kill');
});
