import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer } from '../support/booted-server.ts';
import { bearer, createHttpClient, type HttpClient } from '../support/http-client.ts';

/*
 * Both limits hold for a fixed window of 60 seconds from an address's first request or failure. This waits for a window
 * to end, as a client that gets a 429 does: as long as `Retry-After` says.
 */
const rateLimit = 30;
const failureLimit = 20;

t.test('a limited address is served again when its window has ended', { timeout: 120_000 }, async (t) => {
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
  const waits = [await retryAfter(t, frequent, valid), await retryAfter(t, failing, valid)];
  await setTimeout(20_000 - (performance.now() - firstAt));
  for (let count = 2; count <= failureLimit; count += 1) {
    t.equal((await slow.send({ path: '/api/v1/token' })).status, 401);
  }
  const left = await retryAfter(t, slow, valid);
  t.ok(left <= 41, `the window is fixed from the first failure: ${left} s are left after 20 s`);

  await setTimeout(Math.max(...waits, left + 20) * 1000 - (performance.now() - firstAt) + 50);
  t.equal((await frequent.send(valid)).status, 200, 'the request rate');
  t.equal((await failing.send(valid)).status, 200, 'the failed attempts');
  t.equal((await slow.send(valid)).status, 200, 'the failed attempts of which the first was long ago');
  t.equal((await failing.send({ path: '/api/v1/token' })).status, 401, 'a new window counts from one');
  t.equal((await failing.send(valid)).status, 200);
  await server.stop();
});

async function retryAfter(t: Test, client: HttpClient, request: { path: string }): Promise<number> {
  const { status, headers } = await client.send(request);
  t.equal(status, 429);
  const seconds = Number(headers.get('retry-after'));
  t.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
  return seconds;
}
