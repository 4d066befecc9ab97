import t from 'tap';
import fc from '../../support/fast-check.ts';
import { flagOf, startOfrep } from './ofrep-fixture.ts';

t.setTimeout(120_000);

const { shop, solo, client, server } = await startOfrep(t);
const errors = new Map([
  [400, ['PARSE_ERROR', 'INVALID_CONTEXT', 'GENERAL']],
  [404, ['FLAG_NOT_FOUND', 'GENERAL']],
  [413, ['GENERAL']],
]);

const base = fc.constantFrom(
  `/projects/${shop.id}/production`,
  `/projects/${solo.id}`,
  `/projects/${solo.id}/`,
  '',
  '/',
  `/projects/${shop.id}/%`,
  '/projects/%00',
);
const pathCharacters = fc.string({ unit: fc.constantFrom(...'aZ0/%.~!$&()*+,;=:@-_ü€😀') });
const rest = fc.oneof(
  fc.constantFrom('', '/', '/banner', '/checkout', `/${flagOf(solo, 'banner')}`, '/%E0%A4%A', '/%', '/%ff'),
  pathCharacters.map((text) => `/${text}`),
  fc
    .string({ unit: 'binary', maxLength: 40 })
    .map((text) => `/${encodeURIComponent(Buffer.from(text).toString())}`),
);
const value = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.array(fc.jsonValue()));
const context = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), value));
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  context.map((each) => Buffer.from(JSON.stringify({ context: each }))),
  fc.json().map((text) => Buffer.from(text)),
);
const header = fc.record(
  {
    'x-api-key': fc.oneof(fc.constant(`${shop.id}/production`), fc.constant(solo.id), visible()),
    'if-none-match': fc.oneof(fc.constant('*'), visible()),
    origin: visible(),
    'content-type': visible(),
  },
  { requiredKeys: [] },
);

function visible() {
  return fc.string({ unit: fc.constantFrom(...'aZ09 /%"*,W:;=-') });
}

function withoutEmpty(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, text]) => (text === undefined ? [] : [[name, text.trim()]])),
  );
}

t.test('any request gets an answer or a documented error in the shape of OFREP', async (t) => {
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(
    base,
    rest,
    body,
    header,
    fc.boolean(),
    async (prefix, key, bytes, sent, isChunked) => {
      const path = `${prefix}/ofrep/v1/evaluate/flags${key}`;
      const headers = withoutEmpty(sent);
      const { status, text } = await client.send({ method: 'POST', path, body: bytes, headers, isChunked });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 304) return;
      const answer = JSON.parse(text);
      if (status === 200) {
        if (!('flags' in answer)) checkSuccess(answer);
        else for (const flag of answer.flags) checkSuccess(flag);
        return;
      }
      t.ok(errors.get(status)?.includes(answer.errorCode), `${status} ${text}`);
      t.type(answer.errorDetails, 'string');
      const keys = key === '' || key === '/' ? [] : ['key'];
      t.same(Object.keys(answer), [...keys, 'errorCode', 'errorDetails'], path);
    },
  );
  await fc.assert(property, { numRuns: 800 });
  for (const status of [200, 400, 404]) t.ok((statuses.get(status) ?? 0) > 10, `there are some of ${status}`);
  t.equal(server.lines.filter((line) => line.includes('"level":50')).length, 0, 'nothing failed');

  function checkSuccess(flag: Record<string, unknown>): void {
    t.same(Object.keys(flag), ['key', 'value', 'reason', 'variant', 'metadata']);
    t.type(flag['value'], 'boolean');
    t.equal(flag['variant'], flag['value'] ? 'on' : 'off');
    for (const each of Object.values(flag['metadata'] as object)) t.type(each, 'string');
  }
});

t.test('bodies at and above the limit, whole and in chunks', async (t) => {
  const path = `/projects/${solo.id}/ofrep/v1/evaluate/flags/banner`;
  for (const isChunked of [false, true]) {
    for (const [length, status] of [
      [64 * 1024, 200],
      [64 * 1024 + 1, 413],
      [300 * 1024, 413],
    ] as const) {
      const text = JSON.stringify({ context: { a: '' } });
      const padded = `${text.slice(0, -3)}${'x'.repeat(length - text.length)}"}}`;
      t.equal(padded.length, length);
      const answer = await client.send({ method: 'POST', path, body: padded, isChunked });
      t.equal(answer.status, status, `${length} ${isChunked}`);
      if (status === 413) t.same(Object.keys(JSON.parse(answer.text)), ['key', 'errorCode', 'errorDetails']);
    }
  }
});
