import t from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ConsoleClient } from './console-client.ts';

t.setTimeout(120_000);

t.test(
  'unknown operations, requests from other sites and unreadable bodies are refused in the envelope',
  async (t) => {
    const server = await bootServer(t, { dataDir: temporaryDirectory(t) });
    const client = new ConsoleClient(t, { port: server.port });
    const cases: readonly (readonly [string, string, number, RegExp, Readonly<Record<string, string>>?])[] = [
      ['GET', '/nothing', 401, /Sign in/],
      ['PUT', '/session', 401, /Sign in/],
      ['GET', '/sessions', 401, /Sign in/],
      ['GET', '/members', 401, /Sign in/],
      ['GET', '/projects/x', 401, /Sign in/],
      ['GET', '/sessions?x=1', 401, /Sign in/],
      ['GET', '/session?x=1', 400, /unknown query parameter "x"/],
      ['GET', '/session?x=%zz', 400, /percent-encode/],
      ['DELETE', '/session', 403, /base-url/, { origin: 'https://evil.example' }],
      ['DELETE', '/session', 403, /base-url/, { 'x-burgee-console': '' }],
      ['DELETE', '/session', 403, /base-url/, { 'sec-fetch-site': 'cross-site' }],
      ['DELETE', '/session', 403, /base-url/, { origin: 'null' }],
      ['DELETE', '/session', 401, /Sign in/],
    ];
    for (const [method, path, status, detail, headers] of cases) {
      const answer = await client.send(method, path, undefined, headers);
      t.equal(answer.status, status, `${method} ${path}`);
      t.match(answer.json, { error: String, detail, docs: /#console$/ });
      t.equal(answer.header('cache-control'), 'no-store');
      t.match(answer.header('x-request-id'), /^[0-9A-Za-z]{20}$/);
      t.notOk(
        [...answer.headers.keys()].some((name) => name.startsWith('access-control')),
        'no CORS',
      );
    }
    await server.stop();
    const lines = server.lines.filter((line) => line.includes('"console request"'));
    t.equal(lines.length, cases.length, 'each request has one log line');
  },
);

t.test('a body is validated, and all its problems are reported at once', async (t) => {
  const server = await bootServer(t, { dataDir: temporaryDirectory(t) });
  const client = new ConsoleClient(t, { port: server.port });
  const empty = await client.send('POST', '/link', '');
  t.equal(empty.status, 400);
  t.match(empty.json.detail, /must be a JSON object/);
  const broken = await client.send('POST', '/link', '{"secret": }');
  t.match(broken.json.detail, /not valid JSON: "}" is unexpected at line 1, column 12/);
  const wrong = await client.send('POST', '/link', '{"secret": 5, "__proto__": 1, "other": {}}');
  t.equal(wrong.status, 400);
  t.match(wrong.json.detail, /secret must be a string/);
  t.match(wrong.json.detail, /unknown field "__proto__"/);
  t.match(wrong.json.detail, /unknown field "other"/);
  const large = await client.send('POST', '/link', JSON.stringify({ secret: 'x'.repeat(2 ** 20) }));
  t.equal(large.status, 413);
});

t.test('an address has a request rate of its own', async (t) => {
  const dataDir = temporaryDirectory(t);
  const server = await bootServer(t, { dataDir, settings: { BURGEE_CONSOLE_RATE_LIMIT: '3' } });
  const one = new ConsoleClient(t, { port: server.port });
  const other = new ConsoleClient(t, { port: server.port, localAddress: '127.0.0.2' });
  for (const status of [401, 401, 401, 429, 429]) {
    const answer = await one.send('GET', '/sessions');
    t.equal(answer.status, status);
    if (status === 429) t.match(answer.header('retry-after'), /^[1-9][0-9]?$/);
  }
  t.equal((await other.send('GET', '/sessions')).status, 401);
});
