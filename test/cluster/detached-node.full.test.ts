import t, { type Test } from 'tap';
import { createLeaseMemory } from '../../src/support/lease-cell.ts';
import { parseScrape } from '../admin/admin-fixture.ts';
import { ConsoleClient } from '../console/console-client.ts';
import { password, person } from '../console/console-fixture.ts';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bearer, type ClientRequest, type ClientResponse, createHttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { openRawConnection, rawRequest } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { startLeased, TestLease } from './leased-service.ts';

/*
 * A node without a lease goes on evaluating from its last state, says so with each answer, and refuses to say or change
 * anything else. The services run in this process: the lease is in memory that the test writes.
 */
t.setTimeout(120_000);

const stateHeader = 'burgee-state';
/** Their evaluations take several chunks. */
const manyFlags = Array.from({ length: 1500 }, (_, index) => ({
  name: `flag ${index}`,
  trafficPercentage: 100,
  enabled: true,
}));

async function provisioned(t: Test) {
  const dataDir = temporaryDirectory(t);
  const document = {
    organisations: [
      {
        name: 'Harbour',
        plan: 'enterprise',
        members: [person('owner')],
        projects: [
          {
            name: 'small',
            flags: [{ name: 'flag', enabled: true, trafficPercentage: 100 }],
            tokens: [{ name: 'ci', permission: 'write' }],
          },
          { name: 'large', flags: manyFlags },
        ],
      },
    ],
  };
  const known = await provision(dataDir, temporaryDirectory(t), document);
  const small = projectOf(known, 'small');
  return {
    dataDir,
    flag: idOf(small.flags, 'flag'),
    small: small.id,
    large: projectOf(known, 'large').id,
    secret: tokenOf(small, 'ci').secret,
  };
}

/** One service with a lease, for all tests of this file: each leaves it attached. */
async function startNode(t: Test) {
  const known = await provisioned(t);
  const memory = createLeaseMemory();
  const lease = new TestLease(memory);
  const service = await startLeased(t, known.dataDir, memory, {
    BURGEE_MANAGEMENT_RATE_LIMIT: '100000',
    BURGEE_FAILED_AUTHENTICATION_LIMIT: '100000',
  });
  const client = createHttpClient(t, { port: service.port });
  const admin = createHttpClient(t, { port: service.adminPort });
  return { ...known, ...service, lease, client, admin };
}

/** Asks the same while the node is attached, while it is not, and when it is again. */
async function ask<Answer>(
  lease: TestLease,
  send: () => Promise<Answer>,
): Promise<Record<'before' | 'detached' | 'after', Answer>> {
  lease.renew();
  const before = await send();
  lease.expire();
  const detached = await send();
  lease.renew();
  return { before, detached, after: await send() };
}

interface ExpectedRequest extends ClientRequest {
  readonly status: number;
}

/** @param path after `/projects/` */
function ofrepRequest(
  path: string,
  status: number,
  body = '{"context":{"targetingKey":"k"}}',
): ExpectedRequest {
  const headers = { 'Content-Type': 'application/json' };
  return { path: `/projects/${path}`, method: 'POST', headers, body, status };
}

/** The same at the root, where a header has the project. */
function ofrepAtRoot(project: string, path: string): ClientRequest {
  return { ...ofrepRequest('', 0), path, headers: { 'X-API-Key': project } };
}

/** Without what differs from one answer to the next. */
function headersOf({ headers }: ClientResponse): readonly (readonly [string, string])[] {
  const passing = [stateHeader, 'date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];
  return [...headers].filter(([name]) => !passing.includes(name));
}

t.test('a node', async (t) => {
  const node = await startNode(t);
  const { lease, client } = node;

  t.test('evaluates without a lease as with one, and says that it is detached', async (t) => {
    const flag = `/v1/flags/${node.flag}`;
    const requests: readonly ExpectedRequest[] = [
      { path: flag, status: 200 },
      { path: flag, method: 'HEAD', status: 200 },
      { path: '/v1/flags/absent', status: 404 },
      { path: `${flag}?cohort=%zz`, status: 400 },
      { path: '/v1/flags/é', status: 400 },
      { path: `/v1/flags/project/${node.small}`, status: 200 },
      { path: `/v1/flags/project/${node.small}`, method: 'HEAD', status: 200 },
      { path: `/v1/flags/project/${node.large}`, status: 200 },
      { path: `/v1/flags/project/${node.large}`, method: 'HEAD', status: 200 },
      { path: '/v1/flags/project/absent', status: 404 },
      { path: '/health', status: 200 },
      { path: '/health', method: 'HEAD', status: 200 },
      { path: flag, method: 'OPTIONS', status: 204 },
      { path: '/health', method: 'OPTIONS', status: 204 },
      { path: flag, method: 'POST', body: '{}', status: 404 },
      { path: '/v1/nothing', status: 404 },
      ofrepRequest(`${node.small}/ofrep/v1/evaluate/flags/${node.flag}`, 200),
      ofrepRequest(`${node.small}/ofrep/v1/evaluate/flags/absent`, 404),
      ofrepRequest(`${node.small}/ofrep/v1/evaluate/flags/${node.flag}`, 400, '{"context":1}'),
      ofrepRequest(`${node.small}/ofrep/v1/evaluate/flags`, 200),
      ofrepRequest(`${node.large}/ofrep/v1/evaluate/flags`, 200),
      ofrepRequest('absent/ofrep/v1/evaluate/flags', 404),
      ofrepRequest(`${node.small}/ofrep/v1/evaluate/flags`, 413, ' '.repeat(70_000)),
      ofrepRequest(`${node.small}/ofrep/v1/evaluate/flags/${node.flag}`, 413, ' '.repeat(70_000)),
      { ...ofrepAtRoot(node.small, `/ofrep/v1/evaluate/flags/${node.flag}`), status: 200 },
      { ...ofrepAtRoot(node.small, '/ofrep/v1/evaluate/flags'), status: 200 },
      { ...ofrepAtRoot('absent', '/ofrep/v1/evaluate/flags'), status: 404 },
      { path: `/projects/${node.small}/ofrep/v1/evaluate/flags`, method: 'OPTIONS', status: 204 },
    ];
    for (const { status, ...request } of requests) {
      const name = `${request.method ?? 'GET'} ${request.path}`;
      const { before, detached, after } = await ask(lease, () => client.send(request));
      t.equal(before.status, status, name);
      t.notOk(before.headers.has(stateHeader), name);
      t.equal(detached.headers.get(stateHeader), 'detached', name);
      t.equal(detached.status, status, name);
      t.equal(detached.text, before.text, 'the answer is the same');
      t.same(headersOf(detached), headersOf(before), 'and so are the other headers');
      t.notOk(after.headers.has(stateHeader), name);
    }
  });

  t.test(
    'says so with an answer of OFREP that the client has already, and with the events of browsers',
    async (t) => {
      const all = ofrepRequest(`${node.small}/ofrep/v1/evaluate/flags`, 200);
      const tag = (await client.send(all)).headers.get('etag') ?? '';
      const known = { ...all, headers: { ...all.headers, 'If-None-Match': tag } };
      const { before, detached, after } = await ask(lease, () => client.send(known));
      t.same([before.status, detached.status, after.status], [304, 304, 304]);
      t.same(
        [before, detached, after].map(({ headers }) => headers.get(stateHeader)),
        [undefined, 'detached', undefined],
      );
      const follow = async (): Promise<string | null> => {
        const answer = await fetch(`http://127.0.0.1:${node.port}/projects/${node.small}/ofrep/v1/events`);
        await answer.body?.cancel();
        t.equal(answer.status, 200);
        return answer.headers.get(stateHeader);
      };
      const streams = await ask(lease, follow);
      t.same(streams, { before: null, detached: 'detached', after: null });
    },
  );

  t.test('says so with every answer, however it is written', async (t) => {
    lease.expire();
    const states = new Set<string | undefined>();
    for (let answer = 0; answer < 400; answer += 1) {
      const { headers } = await client.send({ path: `/v1/flags/${node.flag}` });
      states.add(headers.get(stateHeader));
    }
    lease.renew();
    t.same([...states], ['detached']);
    const ahead = Array.from({ length: 40 }, () => `GET /v1/flags/${node.flag} HTTP/1.1\r\nHost: x\r\n\r\n`);
    lease.expire();
    const connection = await openRawConnection(t, node.port);
    connection.write(ahead.join(''));
    for (const _ of ahead) t.match((await connection.response())?.head, /\r\nburgee-state: detached/i);
    lease.renew();
    connection.destroy();
  });

  t.test('says so where the end of a request cannot be found', async (t) => {
    const twice = 'HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n';
    for (const path of ['/v1/flags/x', '/v1/flags/project/x', '/api/v1/flags', '/console/api/session']) {
      lease.renew();
      t.notMatch((await rawRequest(t, node.port, `GET ${path} ${twice}`))?.head, /burgee-state/i, path);
      lease.expire();
      const refused = await rawRequest(t, node.port, `GET ${path} ${twice}`);
      t.equal(refused?.status, 400, path);
      t.match(refused?.head, /\r\nburgee-state: detached/i, path);
    }
    lease.renew();
  });

  t.test('refuses the Management API without a lease, in its form', async (t) => {
    const headers = bearer(node.secret);
    const flag = `/api/v1/flags/${node.flag}`;
    const tag = (await client.send({ path: flag, headers })).headers.get('etag') ?? '';
    const requests: readonly ExpectedRequest[] = [
      { path: flag, headers, status: 200 },
      { path: flag, headers, method: 'HEAD', status: 404 },
      { path: flag, headers: { ...headers, 'if-none-match': tag }, status: 304 },
      { path: '/api/v1/flags', headers, status: 200 },
      { path: flag, status: 401 },
      { path: '/api/v1/nothing', headers, status: 404 },
      { path: flag, headers, method: 'PATCH', body: '{"trafficPercentage":100}', status: 200 },
      { path: '/api/v1/flags', headers, method: 'POST', body: '{', status: 400 },
    ];
    for (const { status, ...request } of requests) {
      const name = `${request.method ?? 'GET'} ${request.path}`;
      const { before, detached, after } = await ask(lease, () => client.send(request));
      t.equal(before.status, status, name);
      t.notOk(before.headers.has(stateHeader), name);
      t.equal(after.status, status, name);
      t.notOk(after.headers.has(stateHeader), name);
      t.equal(detached.status, 503, name);
      t.equal(detached.headers.get(stateHeader), 'detached', name);
      t.equal(detached.headers.get('retry-after'), '1', name);
      t.match(detached.headers.get('access-control-expose-headers'), /, Burgee-State$/, name);
      t.ok(detached.headers.has('x-request-id'), name);
      if (request.method !== 'HEAD') {
        t.equal(JSON.parse(detached.text).error, 'Service unavailable', name);
        t.match(detached.text, /This node is cut off from its cluster/);
      }
    }
    const preflight = await ask(lease, () => client.send({ path: flag, method: 'OPTIONS' }));
    t.same([preflight.before.status, preflight.detached.status], [204, 204], 'a page may read the refusal');
    t.equal(preflight.detached.headers.get(stateHeader), 'detached');
  });

  t.test('sends no change to the writer when its lease ran out while the body came', async (t) => {
    lease.renew();
    const inFlight = async (): Promise<number> => {
      const { text } = await node.admin.send({ path: '/metrics' });
      return parseScrape(text).value('burgee_management_requests_in_flight');
    };
    const body = '{"trafficPercentage":1}';
    const head = [
      `PATCH /api/v1/flags/${node.flag} HTTP/1.1`,
      'Host: x',
      `Authorization: ${bearer(node.secret)['authorization']}`,
      `Content-Length: ${body.length}`,
    ];
    const connection = await openRawConnection(t, node.port);
    connection.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
    while ((await inFlight()) === 0);
    lease.expire();
    connection.write(body.slice(5));
    const refused = await connection.response();
    t.equal(refused?.status, 503);
    t.match(refused?.head, /\r\nburgee-state: detached/i);
    t.match(String(refused?.body), /cut off from its cluster/);
    lease.renew();
    const { text } = await client.send({ path: `/api/v1/flags/${node.flag}`, headers: bearer(node.secret) });
    t.equal(JSON.parse(text).trafficPercentage, 100, 'nothing was changed');
    connection.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    const made = await connection.response();
    t.equal(made?.status, 200);
    connection.destroy();
  });

  t.test('refuses the API of the console, and serves its pages and the documentation', async (t) => {
    lease.renew();
    const member = new ConsoleClient(t, { port: node.port });
    t.equal((await member.send('POST', '/session', { email: person('owner').email, password })).status, 200);
    for (const [method, path, body, status] of [
      ['GET', '/session', undefined, 200],
      ['GET', '/projects', undefined, 200],
      ['GET', '/nothing', undefined, 404],
      ['POST', '/projects', { name: '' }, 400],
      ['POST', '/session', { email: 'nobody@acme.example', password: 'wrong' }, 401],
    ] as const) {
      const { before, detached, after } = await ask(lease, () => member.send(method, path, body));
      t.same([before.status, detached.status, after.status], [status, 503, status], `${method} ${path}`);
      t.equal(detached.headers.get(stateHeader), 'detached');
      t.equal(detached.headers.get('retry-after'), '1');
      t.notOk(before.headers.has(stateHeader) || after.headers.has(stateHeader));
    }
    for (const path of ['/console/', '/console/projects', '/docs', '/docs/api', '/', '/docs/', '/nothing']) {
      const { before, detached } = await ask(lease, () => client.send({ path }));
      t.equal(detached.status, before.status, path);
      t.notOk(detached.headers.has(stateHeader), path);
    }
  });

  t.test('ends the streams of pages, which connect elsewhere then', async (t) => {
    lease.renew();
    const member = new ConsoleClient(t, { port: node.port });
    t.equal((await member.send('POST', '/session', { email: person('owner').email, password })).status, 200);
    const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const open = (): Promise<Response> =>
      fetch(`http://127.0.0.1:${node.port}/console/api/events`, { headers: { cookie } });
    const stream = await open();
    t.equal(stream.status, 200);
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    t.match((await reader?.read())?.value, /^event: ready/);
    lease.expire();
    let rest = await reader?.read();
    while (rest?.done === false) rest = await reader?.read();
    t.equal(rest?.done, true, 'it has ended');
    t.equal((await open()).status, 503);
    lease.renew();
    const again = await open();
    t.equal(again.status, 200);
    await again.body?.cancel();
  });

  t.test('is not ready without a lease', async (t) => {
    const { before, detached, after } = await ask(lease, () => node.admin.send({ path: '/ready' }));
    t.same([before.status, detached.status, after.status], [200, 503, 200]);
    t.same(JSON.parse(detached.text), { status: 'unavailable', failing: ['cluster'] });
  });

  t.test('is detached by a wall clock that was set by an hour', async (t) => {
    const stateOf = async (): Promise<string | undefined> =>
      (await client.send({ path: `/v1/flags/${node.flag}` })).headers.get(stateHeader);
    for (const aheadMs of [3_600_000, -3_600_000]) {
      lease.setWallClock(aheadMs);
      t.equal(await stateOf(), 'detached');
      t.equal((await node.admin.send({ path: '/ready' })).status, 503);
      lease.renew();
      t.equal(await stateOf(), undefined);
    }
  });
});

t.test(
  'where evaluations are limited by address, a node says with each of them that it is detached',
  async (t) => {
    const { dataDir, flag } = await provisionOne(t);
    const memory = createLeaseMemory();
    const { port } = await startLeased(t, dataDir, memory, { BURGEE_EVALUATION_RATE_LIMIT: '2' });
    const lease = new TestLease(memory);
    const client = createHttpClient(t, { port });
    const send = () => client.send({ path: `/v1/flags/${flag}` });
    t.equal((await send()).headers.get(stateHeader), 'detached', 'a node begins without a lease');
    lease.renew();
    t.notOk((await send()).headers.has(stateHeader));
    const { before, detached } = await ask(lease, send);
    t.same([before.status, detached.status], [429, 429]);
    t.notOk(before.headers.has(stateHeader));
    t.equal(detached.headers.get(stateHeader), 'detached');
  },
);

t.test('a service alone never says that it is detached, and is ready', async (t) => {
  const { dataDir, flag, projectId } = await provisionOne(t);
  const { port, adminPort } = await startLeased(t, dataDir, null);
  const client = createHttpClient(t, { port });
  for (const path of [`/v1/flags/${flag}`, `/v1/flags/project/${projectId}`, '/health', '/api/v1/flags']) {
    t.notOk((await client.send({ path })).headers.has(stateHeader), path);
  }
  const admin = createHttpClient(t, { port: adminPort });
  t.equal((await admin.send({ path: '/ready' })).status, 200);
});
