import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { consoleOperations } from '../../src/operations/console-operations.ts';
import { encodersMax } from '../../src/worker/answers/answer-encoder.ts';
import { creationOf, flagChangeOf, projectOf } from '../storage/support/records.ts';
import { bootServer } from '../support/booted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { ConsoleClient } from './console-client.ts';
import { openEventStream } from './event-stream.ts';
import { manyEnvironments, manyFlags } from './many-flags.ts';
import { PreparedStore } from './prepared-store.ts';

interface Received {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Everything that came over the connection, heads included. */
  readonly wireBytes: number;
}

/** Asks on a connection of its own, as a browser with these codings. */
async function ask(
  { port, cookies }: ConsoleClient,
  path: string,
  coding: string | null,
  method = 'GET',
): Promise<Received> {
  const response = await begin({ port, cookies }, path, coding, method);
  const body = await buffer(response);
  const { statusCode: status = 0, headers, socket } = response;
  return { status, headers, body, wireBytes: socket.bytesRead };
}

function begin(
  { port, cookies }: Pick<ConsoleClient, 'port' | 'cookies'>,
  path: string,
  coding: string | null,
  method = 'GET',
): Promise<IncomingMessage> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, ...(coding === null ? {} : { 'accept-encoding': coding }) };
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
}

function decoded({ headers, body }: Received): string {
  const coding = headers['content-encoding'];
  if (coding === 'br') return brotliDecompressSync(body).toString();
  return (coding === 'gzip' ? gunzipSync(body) : body).toString();
}

/** A large project, for all tests. */
async function bootMany(flagCount: number, environmentCount: number) {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const memberId = prepared.addMember('owner');
  const project = projectOf(prepared.organisation.id, {
    ...{ name: 'large', isMultiEnvironment: true },
    ...manyEnvironments(environmentCount),
  });
  const flags = manyFlags(project, flagCount);
  prepared.add([creationOf('project', project), ...flags.map((flag) => flagChangeOf(null, flag))]);
  const authorization = prepared.addToken();
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const client = prepared.client(t, server.port, memberId);
  return { client, project, flags, authorization };
}

const { client, project, flags, authorization } = await bootMany(1000, 40);

t.test('answers are compressed as the browser accepts it, whole and in chunks alike', async (t) => {
  const list = `/console/api/projects/${project.id}/flags`;
  for (const path of [`${list}?limit=20`, `${list}?limit=1000`]) {
    const plain = await ask(client, path, null);
    t.equal(plain.headers['content-encoding'], undefined, 'a client that accepts no coding gets none');
    t.equal(plain.headers.vary, 'Accept-Encoding');
    for (const [accepted, expected] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['identity', undefined],
      ['br;q=0', undefined],
    ] as const) {
      const answer = await ask(client, path, accepted);
      t.match(answer, { status: 200, headers: { vary: 'Accept-Encoding', 'cache-control': 'no-store' } });
      t.equal(answer.headers['content-encoding'], expected, accepted);
      t.equal(decoded(answer), plain.body.toString(), `the same content by ${accepted}`);
      if (expected !== undefined) t.ok(answer.body.length < plain.body.length / 3, 'much smaller');
    }
  }
});

t.test('what is short, refused, made by a change or of another API is never compressed', async (t) => {
  const coding = 'br, gzip';
  const short = await ask(client, '/console/api/session', coding);
  t.equal(short.headers['content-encoding'], undefined, 'shorter than a packet');
  const refused = await ask(client, `/console/api/projects/${project.id}/flags?limit=0`, coding);
  t.match(refused, { status: 400, headers: { 'content-encoding': undefined, vary: undefined } });
  const description = 'x'.repeat(2000);
  const path = `/projects/${project.id}/flags`;
  const accepting = { 'accept-encoding': coding };
  const created = await client.send('POST', path, { name: 'new', description, tags: [] }, accepting);
  t.equal(created.status, 201);
  t.equal(created.header('content-encoding'), undefined);
  const token = await client.send(
    'POST',
    `/projects/${project.id}/tokens`,
    { name: 'ci', permission: 'read', environments: null, expiryDays: 0 },
    accepting,
  );
  t.equal(token.status, 201);
  t.equal(token.header('content-encoding'), undefined, 'no answer with a secret');
  const management = await fetch(`http://127.0.0.1:${client.port}/api/v1/flags`, {
    headers: { authorization, ...accepting },
  });
  t.match(management, { status: 200 });
  t.equal(management.headers.get('content-encoding'), null);
  const evaluation = await fetch(
    `http://127.0.0.1:${client.port}/v1/flags/project/${project.id}?env=production`,
    {
      headers: accepting,
    },
  );
  t.equal(evaluation.status, 200);
  t.ok((await evaluation.text()).length > 1024);
  t.equal(evaluation.headers.get('content-encoding'), null);
  const exported = await ask(client, `/console/api/projects/${project.id}/audit/export?format=csv`, coding);
  t.equal(exported.headers['content-encoding'], undefined, 'a file of any length is sent as it is');
});

t.test('pages of the documentation come as the build has compressed them', async (t) => {
  const path = '/docs/limits';
  const plain = await ask(client, path, null);
  t.match(plain, { status: 200, headers: { 'content-encoding': undefined, vary: 'Accept-Encoding' } });
  for (const coding of ['br', 'gzip']) {
    const answer = await ask(client, path, coding);
    t.equal(answer.headers['content-encoding'], coding);
    t.equal(answer.headers.etag, plain.headers.etag);
    t.equal(decoded(answer), plain.body.toString());
    t.ok(answer.body.length < plain.body.length / 2);
    const head = await ask(client, path, coding, 'HEAD');
    t.match(head.headers, { 'content-encoding': coding, 'content-length': String(answer.body.length) });
  }
});

/** Names of the properties of a schema, at any depth. */
function* propertiesOf(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties } = schema as { readonly properties?: object };
  if (properties !== undefined) yield* Object.keys(properties);
  for (const inner of Object.values(schema)) yield* propertiesOf(inner);
}

t.test(
  'no answer to a GET has a secret: its length beside a text of an attacker would tell of it',
  async (t) => {
    const secretName = /secret|password|credential|cookie|url$|link$/i;
    const gets = Object.values(consoleOperations).filter(({ route }) => route.startsWith('GET '));
    t.ok(gets.length > 20);
    for (const { id, answer } of gets) {
      const names = [...propertiesOf(answer)].filter((name) => secretName.test(name));
      t.strictSame(
        names.filter((name) => !['hasPassword', 'docsUrl', 'baseUrl'].includes(name)),
        [],
        id,
      );
    }
    const creation = [...propertiesOf(consoleOperations['create-token'].answer)];
    t.ok(
      creation.some((name) => secretName.test(name)),
      'the rule would find one',
    );
  },
);

t.test('of many answers at once, those above the bound go out as they are or are refused', async (t) => {
  const path = `/console/api/projects/${project.id}/flags?limit=1000`;
  const plain = decoded(await ask(client, path, null));
  const answers = await Promise.all(Array.from({ length: encodersMax + 8 }, () => ask(client, path, 'br')));
  const given = answers.filter(({ status }) => status === 200);
  t.ok(given.every((answer) => decoded(answer) === plain));
  const refused = answers.filter(({ status }) => status !== 200);
  t.ok(
    refused.every(({ status, headers }) => status === 503 && headers['retry-after'] !== undefined),
    'a member who has the whole quota of unsent bytes is asked to retry',
  );
  const coded = answers.filter(({ headers }) => headers['content-encoding'] === 'br').length;
  t.comment(`${coded} of ${given.length} were compressed, ${refused.length} refused`);
  t.ok(coded > 0);
  const after = await ask(client, path, 'br');
  t.equal(after.headers['content-encoding'], 'br', 'what they held was given back');
});

t.test('a change by somebody else costs a page less than 5 KB, in a project of 1,000 × 40', async (t) => {
  const flag = flags[500];
  if (flag === undefined) throw new Error('no flag');
  const stream = await openEventStream(t, client, `/projects/${project.id}/events`);
  await stream.next();
  const before = stream.wireBytes;
  const body = { revision: 1, states: { 1: { enabled: false, trafficPercentage: 3 } } };
  const edited = await client.send('PATCH', `/projects/${project.id}/flags/${flag.id}`, body);
  t.equal(edited.status, 200);
  const changed = await stream.next();
  t.strictSame(changed.data.flags, [flag.id]);
  const told = stream.wireBytes - before;
  const row = await ask(client, `/console/api/projects/${project.id}/flags?ids=${flag.id}`, 'br');
  t.equal(JSON.parse(decoded(row)).flags[0].revision, 2);
  t.comment(`${told} bytes of the stream, ${row.wireBytes} bytes of the row`);
  t.ok(told + row.wireBytes < 5000);
  const many = flags.slice(0, 100).map(({ id }) => id);
  const rows = await ask(client, `/console/api/projects/${project.id}/flags?ids=${many.join(',')}`, 'br');
  t.comment(`${rows.wireBytes} bytes of a hundred rows`);
  t.equal(JSON.parse(decoded(rows)).flags.length, 100);
});
