import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { Test } from 'tap';
import { knownExceptions } from '../campaigns/framing/known-exceptions.ts';
import { unlimited } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { startForgetfulBackend } from './forgetful-backend.ts';
import { oddCohort, type ProxiedService, startProxied } from './proxied-service.ts';
import { type ProxyKind, startProxy } from './running-proxy.ts';

export interface ProxyCases {
  readonly kind: ProxyKind;
  readonly openssl: string;
  /** Restricts the example's Management API to 127.0.0.2. */
  readonly restriction: readonly (readonly [RegExp, string])[];
}

const bodyBytesMax = 1024 * 1024;
const proxyHeader = '\r\n\r\n\0\r\nQUIT\n!\x11\0\x0c\x01\x02\x03\x04\x05\x06\x07\x08\0P\0P';

/** The tests of both examples. */
export function proxyCases(t: Test, { kind, openssl, restriction }: ProxyCases): void {
  let started: Promise<ProxiedService> | null = null;
  /** For tests without settings of their own: it ends with the last. */
  const sharedService = (): Promise<ProxiedService> => {
    started ??= startProxied(t, kind, { openssl, settings: unlimited });
    return started;
  };

  t.test('one address has 500 requests at once, also by HTTP/2, and others go on', async (t) => {
    const service = await startProxied(t, kind, { openssl, settings: unlimited });
    const statuses = await holdRequests(t, service, '127.0.0.9', 200);
    t.same([...new Set(statuses)], [429], 'of 700 requests 200 are refused at once');
    t.equal((await service.client().send({ path: `/v1/flags/${service.flag}` })).status, 200);
    await service.server.stop();
  });

  t.test('both APIs work through it, and the query arrives unchanged', async (t) => {
    const service = await sharedService();
    const client = service.client();
    const cohort = encodeURIComponent(oddCohort);
    const on = await client.send({ path: `/v1/flags/${service.flag}?cohort=${cohort}` });
    t.match(JSON.parse(on.text), { id: service.flag, enabled: true });
    const raw = await client.send({ path: `/v1/flags/${service.flag}?cohort=a+b` });
    t.equal(raw.status, 400, 'a raw plus stays one');
    t.match(await patch(service, '{"trafficPercentage": 50}'), { status: 200 });
    const list = await client.send({ path: '/api/v1/flags', headers: bearer(service.secret) });
    t.match(JSON.parse(list.text), { flags: [{ name: 'flag', trafficPercentage: 50 }] });
    t.equal((await client.send({ path: '/health', method: 'HEAD' })).status, 200);
    t.equal(await statusByHttp2(service, `/v1/flags/${service.flag}`), 200, 'HTTP/2 too');
  });

  t.test('each client has limits of its own, despite claimed addresses', async (t) => {
    const service = await startProxied(t, kind, { openssl, settings: { BURGEE_MANAGEMENT_RATE_LIMIT: '3' } });
    const [one, other] = [service.client('127.0.0.2'), service.client('127.0.0.3')];
    const authorization = bearer(service.secret);
    const forged = (address: string) => ({ ...authorization, 'x-forwarded-for': address });
    for (const address of ['203.0.113.1', '203.0.113.2, 127.0.0.1', '203.0.113.3']) {
      const { status } = await one.send({ path: '/api/v1/token', headers: forged(address) });
      t.equal(status, 200);
    }
    t.equal((await one.send({ path: '/api/v1/token', headers: forged('203.0.113.4') })).status, 429);
    t.equal((await other.send({ path: '/api/v1/token', headers: authorization })).status, 200);
    t.equal((await other.send({ path: '/api/v1/token', headers: forged('127.0.0.2') })).status, 200);
    t.notMatch(service.server.lines.join('\n'), /203\.0\.113/, 'the log has the real address');
  });

  t.test('bodies up to the limit pass, larger ones are refused', async (t) => {
    // A worker logs in the order of its answers, so the log has all earlier ones.
    const settings = { ...unlimited, BURGEE_WORKERS: '1' };
    const service = await startProxied(t, kind, { openssl, settings });
    t.match(await patch(service, '{"enabled": false}'.padEnd(bodyBytesMax)), { status: 200 });
    const over = await patch(service, '{"enabled": true}'.padEnd(bodyBytesMax + 1));
    t.equal(over.status, 413);
    t.match(JSON.parse(over.text), { error: 'Payload too large' }, 'Burgee refuses it, in its envelope');
    const requests = await countPatches(t, service);
    const flood = await patch(service, '{}'.padEnd(3 * bodyBytesMax)).catch(() => null);
    t.ok(flood === null || flood.status === 413, 'the proxy refuses, or closes while the rest still comes');
    t.equal(await countPatches(t, service), requests, 'Burgee did not see the request');
    const still = await service.client().send({ path: `/v1/flags/${service.flag}` });
    t.match(JSON.parse(still.text), { enabled: false });
  });

  t.test('the proxy refuses malformed requests', async (t) => {
    const service = await sharedService();
    const before = await countPatches(t, service);
    const head = `PATCH /api/v1/flags/${service.flag} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.secret}\r\n`;
    const malformed = {
      'two lengths': `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      'a length that is no number': `${head}Content-Length: -2\r\n\r\n{}`,
      'an unknown encoding': `${head}Transfer-Encoding: x-odd, chunked\r\nContent-Length: 2\r\n\r\n{}`,
      'a space in a header’s name': `${head}X Odd: a\r\n\r\n`,
      'headers of 40 KiB': `${head}X-Large: ${'a'.repeat(40 * 1024)}\r\n\r\n`,
      'no HTTP at all': `\x16\x03\x01 hello\r\n\r\n`,
      'an empty length before another': `${head}Content-Length:\r\nContent-Length: 2\r\n\r\n{}`,
      'a length behind a byte that is not ASCII': `${head}Content-Length: \xa02\r\n\r\n{}`,
      'data of a chunk without its end': `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n`,
      'a size of a chunk that is no number': `${head}Transfer-Encoding: chunked\r\n\r\ng\r\n{}\r\n0\r\n\r\n`,
      'a header of the PROXY protocol': `${proxyHeader}${head}Content-Length: 2\r\n\r\n{}`,
    };
    const targets = { flag: service.flag, projectId: '', secret: service.secret };
    for (const [why, bytes] of Object.entries(malformed)) {
      t.match(await rawStatus(service, bytes), /^(4\d\d|501)$/, why);
    }
    for (const { name, isPassedOn = false, example } of knownExceptions) {
      const expected = isPassedOn ? /^200$/ : /^(4\d\d|501)$/;
      t.match(await rawStatus(service, example(targets)), expected, name);
    }
    t.equal(await countPatches(t, service), before, 'Burgee saw none of them');
  });

  t.test('no request is smuggled in bytes that Burgee cannot see', async (t) => {
    const service = await sharedService();
    const head = `Host: a\r\nAuthorization: Bearer ${service.secret}\r\n`;
    const off = '{"enabled":false}';
    const smuggled = `PATCH /api/v1/flags/${service.flag} HTTP/1.1\r\n${head}Content-Length: ${off.length}\r\n\r\n${off}`;
    const line = `/v1/flags/${service.flag} HTTP/1.1\r\nHost: a\r\n`;
    const requests = [
      `GET ${line}: hidden\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      `GET ${line}Content-Length:\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      `POST ${line}Transfer-Encoding: chunked\r\n\r\n0\r\nX: /health HTTP/1.1\r\nHost: a\r\n\r\n${smuggled.slice(0, -1)}`,
    ];
    for (const request of requests) {
      // A proxy that passes on trailers gets its connection closed, because uWebSockets.js reads them as a request.
      t.match(await rawStatus(service, request), /^(200|4\d\d|502)$/, JSON.stringify(request.slice(0, 90)));
    }
    await countPatches(t, service);
    const still = await service
      .client()
      .send({ path: `/v1/flags/${service.flag}?cohort=${encodeURIComponent(oddCohort)}` });
    t.match(JSON.parse(still.text), { enabled: true });
  });

  t.test('a request in pieces arrives completely', async (t) => {
    const service = await sharedService();
    const request = `GET /v1/flags/${service.flag} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const cuts = Array.from({ length: request.indexOf('\r\n') + 2 }, (_, index) => index + 1);
    const direct = new Set<number | undefined>();
    for (const cut of cuts) {
      const pieces = [request.slice(0, cut), request.slice(cut)];
      t.equal(await rawStatus(service, ...pieces), '200', `cut at ${cut}`);
      direct.add(await directStatus(t, service, pieces));
    }
    // A fault of uWebSockets.js (docs/contributing/gotchas.md). Once it is fixed, the page and the advice for proxies can be
    // removed.
    t.same([...direct].sort(), [200, 505], 'without a proxy, some cuts of the first line are a 505');
  });

  t.test('the Management API can be restricted to networks', async (t) => {
    const service = await startProxied(t, kind, { openssl, settings: unlimited, choices: restriction });
    const request = { path: '/api/v1/token', headers: bearer(service.secret) };
    t.equal((await service.client('127.0.0.2').send(request)).status, 200);
    t.equal((await service.client('127.0.0.3').send(request)).status, 403);
    const { status } = await service.client('127.0.0.3').send({ path: `/v1/flags/${service.flag}` });
    t.equal(status, 200, 'evaluation stays open');
  });

  t.test('a request lost with its connection is repeated only if it changes nothing', async (t) => {
    const backend = await startForgetfulBackend(t);
    const proxy = await startProxy(t, kind, { backendPort: backend.port, openssl });
    for (const method of ['GET', 'POST', 'PATCH']) {
      const { port, certificate } = proxy;
      const client = createHttpClient(t, { port, certificate });
      t.equal((await client.send({ path: '/first' })).status, 200);
      const body = method === 'GET' ? {} : { body: '{}' };
      const answer = await client.send({ method, path: '/second', ...body }).catch(() => null);
      if (method === 'GET') t.equal(answer?.status, 200, 'GET is repeated');
      else {
        t.ok(answer === null || answer.status === 502, `${method} fails`);
        t.equal(backend.received(`${method} /second`), 1, `${method} was sent once`);
      }
    }
  });

  t.test('plain HTTP redirects to HTTPS, and accepts no token', async (t) => {
    const service = await sharedService();
    const plain = createHttpClient(t, { port: service.proxy.plainPort });
    const moved = await plain.send({
      path: '/v1/flags/x?cohort=a%2Bb',
      headers: { host: 'flags.example.com' },
    });
    t.equal(moved.status, 308);
    t.equal(moved.headers.get('location'), 'https://flags.example.com/v1/flags/x?cohort=a%2Bb');
    t.equal((await plain.send({ path: '/api/v1/token' })).status, 403);
    t.equal((await plain.send({ path: '/sync/v1/project/production' })).status, 403);
  });
}

function patch(
  service: ProxiedService,
  body: string,
): ReturnType<ReturnType<ProxiedService['client']>['send']> {
  const path = `/api/v1/flags/${service.flag}`;
  return service.client().send({ method: 'PATCH', path, headers: bearer(service.secret), body });
}

/**
 * Burgee logs every request of the Management API: once the log has one more request, it is complete.
 *
 * @returns the patches
 */
async function countPatches(t: Test, { server, secret }: ProxiedService): Promise<number> {
  const direct = createHttpClient(t, { port: server.port });
  const { headers } = await direct.send({ path: '/api/v1/token', headers: bearer(secret) });
  const last = `"${headers.get('x-request-id')}"`;
  await server.line((line) => line.includes(last));
  return server.lines.filter((line) => line.includes('"patch-flag"')).length;
}

/** A request sent directly to Burgee, in pieces that it reads one by one. */
async function directStatus(
  t: Test,
  { server }: ProxiedService,
  pieces: readonly string[],
): Promise<number | undefined> {
  const connection = await openRawConnection(t, server.port);
  for (const piece of pieces) {
    await connection.written(piece);
    await createHttpClient(t, { port: server.port }).send({ path: '/health' });
  }
  const answer = await connection.response();
  connection.destroy();
  return answer?.status;
}

/** @returns the status of the answer to these bytes; `closed` if there is none */
function rawStatus({ proxy }: ProxiedService, ...pieces: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      port: proxy.port,
      host: '127.0.0.1',
      ca: proxy.certificate,
      ALPNProtocols: ['http/1.1'],
    };
    const socket = connect(options, async () => {
      for (const piece of pieces) {
        await new Promise((resolve) => socket.write(piece, 'latin1', resolve));
        await setImmediate();
      }
    });
    socket.setNoDelay(true);
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      if (text.includes('\r\n')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 'closed'));
  });
}

/** Requests by HTTP/2 whose bodies do not come. @returns the statuses of those that were answered, once `answered` were */
async function holdRequests(
  t: Test,
  { proxy, flag }: ProxiedService,
  localAddress: string,
  answered: number,
): Promise<readonly (number | undefined)[]> {
  const [sessions, requestsEach] = [7, 100];
  const place = { host: '127.0.0.1', port: proxy.port, localAddress };
  const options = { host: '127.0.0.1', ca: proxy.certificate, ALPNProtocols: ['h2'] };
  const head = { ':method': 'POST', ':path': `/ofrep/v1/evaluate/flags/${flag}`, 'content-length': '1000' };
  const statuses: (number | undefined)[] = [];
  return new Promise((resolve) => {
    for (let session = 0; session < sessions; session += 1) {
      const opened = connectHttp2(`https://127.0.0.1:${proxy.port}`, {
        createConnection: () => connect({ ...options, socket: connectTcp(place) }),
      });
      t.teardown(() => opened.destroy());
      opened.on('error', () => undefined);
      for (let request = 0; request < requestsEach; request += 1) {
        const stream = opened.request(head);
        stream.on('response', (headers) => {
          if (statuses.push(headers[':status']) === answered) resolve(statuses);
        });
        stream.on('error', () => undefined).resume();
        stream.write('{');
      }
    }
  });
}

function statusByHttp2({ proxy }: ProxiedService, path: string): Promise<number | undefined> {
  const session = connectHttp2(`https://127.0.0.1:${proxy.port}`, { ca: proxy.certificate });
  return new Promise((resolve, reject) => {
    session.on('error', reject);
    const stream = session.request({ ':path': path });
    stream.on('response', (headers) => {
      resolve(headers[':status']);
      session.close();
    });
    stream.on('error', reject).resume().end();
  });
}
