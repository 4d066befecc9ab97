import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer } from '../support/booted-server.ts';
import { bearer, type ClientRequest, createHttpClient, type HttpClient } from '../support/http-client.ts';

/*
 * Both limits hold for a fixed window of 60 seconds from an address's first request or failure. This test waits for a
 * window to end as a client with a 429 does, for as long as `Retry-After` says.
 */
const rateLimit = 30;
const failureLimit = 20;
t.setTimeout(600_000);

t.test('a limited address is served again when its window has ended', async (t) => {
  const { dataDir, secret } = await provisionOne(t);
  const settings = { BURGEE_MANAGEMENT_RATE_LIMIT: String(rateLimit) };
  const server = await bootServer(t, { dataDir, settings });
  const clientAt = (localAddress: string): HttpClient =>
    createHttpClient(t, { port: server.port, localAddress });
  const valid = { path: '/api/v1/token', headers: bearer(secret) };
  const frequent = clientAt('127.0.1.1');
  const failing = clientAt('127.0.1.2');
  const slow = clientAt('127.0.1.3');

  const firstAt = performance.now();
  t.equal((await slow.send({ path: '/api/v1/token' })).status, 401, 'the first failure begins the window');
  for (let count = 1; count <= rateLimit; count += 1) t.equal((await frequent.send(valid)).status, 200);
  for (let count = 1; count <= failureLimit; count += 1) {
    t.equal((await failing.send({ path: '/api/v1/token' })).status, 401);
  }
  const ends = [await limitEnds(t, frequent, valid), await limitEnds(t, failing, valid)];
  await setTimeout(20_000 - (performance.now() - firstAt));
  for (let count = 2; count <= failureLimit; count += 1) {
    t.equal((await slow.send({ path: '/api/v1/token' })).status, 401);
  }
  const slowEnds = await limitEnds(t, slow, valid);
  t.ok(slowEnds - firstAt < 62_000, 'the window is fixed from the first failure, not from the last');

  await setTimeout(Math.max(...ends, slowEnds) - performance.now());
  t.equal((await frequent.send(valid)).status, 200, 'the request rate');
  t.equal((await failing.send(valid)).status, 200, 'the failed attempts');
  t.equal((await slow.send(valid)).status, 200, 'failed attempts of which the first was long ago');
  t.equal((await failing.send({ path: '/api/v1/token' })).status, 401, 'a new window counts from one');
  t.equal((await failing.send(valid)).status, 200);
  await server.stop();
});

/** @returns when `Retry-After` says that the limit ends, on the clock of `performance.now()`. */
async function limitEnds(t: Test, client: HttpClient, request: ClientRequest): Promise<number> {
  const { status, headers } = await client.send(request);
  t.equal(status, 429);
  const seconds = Number(headers.get('retry-after'));
  t.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
  return performance.now() + seconds * 1000;
}
