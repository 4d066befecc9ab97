import t, { type Test } from 'tap';
import { contextValuesMax } from '../../src/domain/evaluation/query-fault.ts';
import { isStandIn } from '../support/burgee-command.ts';
import { bearer, type ClientRequest, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { assertUndelayed, describe } from '../support/latency-probe.ts';
import { openRawConnection, rawRequest } from '../support/raw-request.ts';
import {
  assertAlive,
  type Besieged,
  besiegeAndWatch,
  get,
  nextAddress,
  withBody,
} from './robustness-fixture.ts';

/*
 * Bad input gets a clear error and loses nothing. It must not end the process, leave a request without an answer, delay
 * an evaluation or another management request by more than 50 ms, or get a 500. A container of the image runs at the same
 * time as other tests: there, delays only show that nothing hangs.
 */
const delayMaxMs = isStandIn ? 10_000 : 50;
const bodyBytesMax = 1_048_576;
t.setTimeout(240_000);

t.test('bad input', async (t) => {
  const besieged = await besiegeAndWatch(t);
  const { server, probe } = besieged;
  const calm = await probe.during(async () => {}, 400);
  t.comment(`calm: ${describe(calm)}`);

  for (const [name, attack] of attacks) {
    await t.test(name, async (t) => {
      const client = createHttpClient(t, { port: server.port, localAddress: nextAddress() });
      await assertUndelayed(t, probe, calm, delayMaxMs, () => attack(t, besieged, client));
      await assertAlive(t, besieged);
    });
  }

  await server.stop();
  const grave = server.lines.filter((line) => /"level":(50|60)\b/.test(line));
  t.same(grave, [], 'no error was logged');
});

type Attack = (t: Test, besieged: Besieged, client: HttpClient) => Promise<void>;

const attacks: readonly (readonly [string, Attack])[] = [
  ['malformed JSON', malformedJson],
  ['nesting of 100,000 levels', deepNesting],
  ['names of the prototype', prototypeNames],
  ['lone surrogates and NUL', surrogatesAndNul],
  ['a body of exactly 1 MiB, and one byte more', bodySizes],
  ['a length declared far too large, and nothing sent', declaredTooLarge],
  ['headers and URL beyond the limits', beyondHeaderLimits],
  ['malformed escapes and raw bytes', malformedEscapes],
  ['thousands of parameters', manyParameters],
  ['100,000 problems in one body', manyProblems],
  ['pipelined requests', pipelined],
  ['connections that are reset', resets],
  ['clients that leave before their answer', leavers],
];

/** Sends requests. Each must get one of `statuses`, with an envelope if it is an error, and never a 500. */
async function expectStatuses(
  t: Test,
  client: HttpClient,
  statuses: readonly number[],
  requests: readonly ClientRequest[],
): Promise<void> {
  for (const request of requests) {
    const { status, text } = await client.send(request);
    const shown = `${request.method ?? 'GET'} ${request.path.slice(0, 60)}: ${status} ${text.slice(0, 120)}`;
    if (!statuses.includes(status)) t.fail(`${shown}, not ${statuses.join()}`);
    else if (status >= 400 && status !== 431) {
      t.match(JSON.parse(text), { error: String, detail: String, docs: String }, shown);
    }
  }
}

function writes({ flag, token }: Besieged, bodies: readonly (string | Uint8Array)[]): ClientRequest[] {
  const headers = bearer(token);
  return bodies.flatMap((body) => [
    { method: 'POST', path: '/api/v1/flags', headers, body },
    { method: 'PATCH', path: `/api/v1/flags/${flag}`, headers, body },
    { method: 'POST', path: '/api/v1/flags', headers, body, isChunked: true },
  ]);
}

async function malformedJson(t: Test, besieged: Besieged, client: HttpClient): Promise<void> {
  const bodies = [
    '{',
    '}',
    '{"name":',
    '{"name":"x"}}',
    '{"a":1,}',
    "{'a':1}",
    'nul',
    '{"a":tru}',
    '"',
    '{"a" 1}',
  ];
  const bytes = [Buffer.from([0xff, 0xfe]), Buffer.from([0]), Buffer.from('{"name":"\xff"}', 'latin1')];
  await expectStatuses(
    t,
    client,
    [400],
    writes(besieged, [...bodies, ...bytes, '\u{feff}{', '['.repeat(31)]),
  );
}

async function deepNesting(t: Test, besieged: Besieged, client: HttpClient): Promise<void> {
  const levels = 100_000;
  const bodies = [
    '['.repeat(levels),
    '{"a":'.repeat(levels),
    `{"name":"x","tags":${'['.repeat(levels)}${']'.repeat(levels)}}`,
    `{"a":${'[{"a":'.repeat(levels)}`,
    '['.repeat(bodyBytesMax),
    `${'[['.repeat(bodyBytesMax / 4)}${']]'.repeat(bodyBytesMax / 4)}`,
  ];
  await expectStatuses(t, client, [400], writes(besieged, bodies));
}

async function prototypeNames(t: Test, besieged: Besieged, client: HttpClient): Promise<void> {
  const { flag, token } = besieged;
  const bodies = ['__proto__', 'constructor', 'prototype'].flatMap((key) => [
    `{"name":"x","${key}":{"enabled":true,"polluted":1}}`,
    `{"name":"x","environments":{"${key}":{"enabled":true}}}`,
    `{"${key}":{"${key}":{"polluted":1}}}`,
  ]);
  await expectStatuses(t, client, [400], writes(besieged, bodies));
  const { text } = await client.send({ path: `/api/v1/flags/${flag}`, headers: bearer(token) });
  t.notOk(text.includes('polluted'));
}

async function surrogatesAndNul(t: Test, besieged: Besieged, client: HttpClient): Promise<void> {
  const bodies = ['\\ud800', '\\udfff', '\\ude00\\ud83d', '\\u0000', 'a\\u0000b'].map(
    (text) => `{"name":"${text}"}`,
  );
  await expectStatuses(t, client, [400], writes(besieged, bodies));
  const headers = bearer(besieged.token);
  const names = ['%00', 'a%00b', '%EF%BF%BF', '%F4%8F%BF%BF'];
  await expectStatuses(
    t,
    client,
    [200],
    [
      ...names.map((name) => ({ path: `/v1/flags/${besieged.flag}?cohort=${name}&x${name}=y` })),
      ...names.map((name) => ({ path: `/api/v1/flags?name=${name}`, headers })),
    ],
  );
  await expectStatuses(
    t,
    client,
    [400],
    [
      { path: `/v1/flags/${besieged.flag}?cohort=%ED%A0%80` },
      { path: '/api/v1/flags?name=%ED%A0%80', headers },
    ],
  );
}

async function bodySizes(t: Test, besieged: Besieged, client: HttpClient): Promise<void> {
  const fits = '{"name":"x"}'.padEnd(bodyBytesMax);
  const headers = bearer(besieged.token);
  for (const isChunked of [false, true]) {
    const request = { method: 'POST', path: '/api/v1/flags', headers, isChunked };
    await expectStatuses(t, client, [201], [{ ...request, body: fits }]);
    await expectStatuses(
      t,
      client,
      [413],
      [
        { ...request, body: `${fits} ` },
        { ...request, body: '['.repeat(bodyBytesMax + 1) },
        { ...request, body: ' '.repeat(4 * bodyBytesMax) },
      ],
    );
  }
}

async function declaredTooLarge(t: Test, { server, token }: Besieged): Promise<void> {
  for (const length of ['1048577', '10000000000', '18446744073709551615', '99999999999999999999999']) {
    const head = ['POST /api/v1/flags HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${token}`];
    const bytes = `${head.join('\r\n')}\r\nContent-Length: ${length}\r\n\r\n`;
    const answer = await rawRequest(t, server.port, bytes, nextAddress());
    if (answer !== null) t.ok([400, 413].includes(answer.status), `length ${length}: ${answer.status}`);
    else t.ok(length.length > 15, `length ${length} was closed without an answer`);
  }
}

async function beyondHeaderLimits(t: Test, { server, flag, token }: Besieged): Promise<void> {
  const authorization = `Authorization: Bearer ${token}`;
  const many = Array.from({ length: 150 }, (_, index) => `X-H${index}: y`);
  const requests = [
    get('/api/v1/token', authorization, `X-Long: ${'x'.repeat(20_000)}`),
    get('/api/v1/token', authorization, ...many),
    get(`/v1/flags/${flag}?a=${'b'.repeat(20_000)}`),
    get(`/v1/flags/${'f'.repeat(20_000)}`),
    get(`/api/v1/flags?name=${'n'.repeat(100_000)}`, authorization),
    get('/api/v1/token', `Authorization: Bearer ${'z'.repeat(30_000)}`),
    get('/api/v1/token', authorization, `${'k'.repeat(20_000)}: v`),
  ];
  for (const request of requests) {
    const answer = await rawRequest(t, server.port, request, nextAddress());
    t.equal(answer?.status, 431, request.slice(0, 60));
  }
  const long = await rawRequest(t, server.port, get(`/v1/flags/${flag}?a=${'b'.repeat(12_000)}`));
  t.equal(long?.status, 200, 'requests within the limits are answered');
}

async function malformedEscapes(
  t: Test,
  { flag, token, server }: Besieged,
  client: HttpClient,
): Promise<void> {
  const headers = bearer(token);
  const queries = [
    'cohort=%',
    'x=%zz',
    '%=1',
    'targetingKey=%E0%80',
    'a=%C0%80',
    'cohort=%u0041',
    'a=é',
    '\u{1f600}=1',
  ];
  await expectStatuses(
    t,
    client,
    [400],
    queries.flatMap((query) => [
      { path: `/v1/flags/${flag}?${query}` },
      { path: `/api/v1/flags?${query}`, headers },
    ]),
  );
  for (const byte of [0x00, 0x01, 0x0a, 0x20, 0x7f, 0x80, 0xff]) {
    const path = Buffer.concat([
      Buffer.from(`/v1/flags/${flag}?cohort=a`),
      Buffer.from([byte]),
      Buffer.from('b'),
    ]);
    const bytes = Buffer.concat([
      Buffer.from('GET '),
      path,
      Buffer.from(' HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    ]);
    const answer = await rawRequest(t, server.port, bytes);
    const allowed = byte < 0x21 ? [400, 200, 404, 505] : [400];
    if (answer !== null) t.ok(allowed.includes(answer.status), `raw byte ${byte}: ${answer.status}`);
  }
}

async function manyParameters(t: Test, { flag, token }: Besieged, client: HttpClient): Promise<void> {
  const headers = bearer(token);
  await expectStatuses(
    t,
    client,
    [200],
    [
      { path: `/v1/flags/${flag}?${'a=b&'.repeat(contextValuesMax)}` },
      { path: `/v1/flags/${flag}?${'&'.repeat(12_000)}` },
      { path: `/v1/flags/${flag}?${'='.repeat(12_000)}` },
      { path: `/api/v1/flags?${'a=b&'.repeat(3000)}`, headers },
    ],
  );
  await expectStatuses(
    t,
    client,
    [400],
    [
      { path: `/v1/flags/${flag}?${'a=b&'.repeat(3000)}` },
      { path: `/v1/flags/${flag}?${'cohort=b&'.repeat(1200)}` },
      { path: `/api/v1/flags?${'name=b&'.repeat(1200)}`, headers },
    ],
  );
}

async function manyProblems(t: Test, besieged: Besieged, client: HttpClient): Promise<void> {
  const problems = 100_000;
  const unknown = Array.from({ length: problems }, (_, index) => `"${index.toString(36)}":0`).join();
  const bodies = [
    `{${unknown}}`.slice(0, bodyBytesMax),
    `{"cohorts":[${Array(problems).fill('""').join()}]}`,
    `{"name":"x","tags":[${Array(problems).fill('1').join()}]}`,
    `{"name":"x","environments":{${unknown.slice(0, 900_000).replace(/,[^,]*$/, '')}}}`,
  ];
  const headers = bearer(besieged.token);
  for (const request of writes(besieged, bodies)) {
    const { status, text } = await client.send({ ...request, headers });
    t.equal(status, 400);
    t.ok(text.length < 20_000, `the answer lists the first fifty only: ${text.length} characters`);
  }
}

async function pipelined(t: Test, { server, flag, token }: Besieged): Promise<void> {
  const authorization = `Authorization: Bearer ${token}`;
  const trains = [
    get(`/v1/flags/${flag}`).repeat(50),
    get('/api/v1/token', authorization).repeat(50),
    get('/health').repeat(200),
    withBody(`PATCH /api/v1/flags/${flag}`, '{"enabled":true}', authorization).repeat(20),
    `${get(`/v1/flags/${flag}`)}${withBody('POST /api/v1/flags', '{', authorization)}${get('/nothing')}`,
  ];
  for (const train of trains) {
    const connection = await openRawConnection(t, server.port, nextAddress());
    connection.write(train);
    const expected = train.split(' HTTP/1.1').length - 1;
    for (let count = 1; count <= expected; count += 1) {
      const answer = await connection.response();
      if (answer === null) {
        t.ok(connection.isClosed(), 'the connection is closed if there is no answer');
        break;
      }
      t.ok(answer.status > 0 && answer.status < 500, `answer ${count}: ${answer.status}`);
    }
    connection.destroy();
  }
}

async function resets(t: Test, { server }: Besieged): Promise<void> {
  for (let index = 0; index < 200; index += 1) {
    const connection = await openRawConnection(t, server.port);
    if (index % 2 === 0) connection.write('GET /v1/fl');
    connection.destroy();
  }
}

async function leavers(t: Test, { server, flag, token }: Besieged): Promise<void> {
  const authorization = `Authorization: Bearer ${token}`;
  for (let index = 0; index < 60; index += 1) {
    const connection = await openRawConnection(t, server.port);
    if (index % 3 === 0) connection.write(get('/api/v1/flags', authorization));
    if (index % 3 === 1) connection.write(get(`/v1/flags/${flag}`));
    if (index % 3 === 2) {
      connection.write(withBody(`PATCH /api/v1/flags/${flag}`, '{"enabled":true}', authorization));
    }
    connection.destroy();
  }
}
