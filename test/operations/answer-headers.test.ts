import t from 'tap';
import { problemTable } from '../../src/contracts/problem-table.ts';
import type { HeaderBlock } from '../../src/http/header-block.ts';
import {
  detachedHeaders,
  evaluationHeadersFor,
  evaluationLimitedHeaders,
  managementHeaders,
  plainText,
} from '../../src/operations/answer-headers.ts';

/** Headers by lower-case name. */
function linesOf({ name, value }: HeaderBlock): Map<string, string> {
  const lines = `${name}: ${value}`.split('\r\n').map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
  });
  return new Map(lines);
}

t.test('every 503 of both APIs says when to try again, and permanent refusals do not', async (t) => {
  for (const { status, title } of Object.values(problemTable)) {
    if (status === 429) continue;
    const isTemporary = status === 503;
    t.equal(linesOf(managementHeaders('r', status)).has('retry-after'), isTemporary, `${status} ${title}`);
    t.equal(linesOf(evaluationHeadersFor(status)).has('retry-after'), isTemporary, `${status} ${title}`);
  }
  t.equal(linesOf(managementHeaders('r', 503)).get('retry-after'), '1');
});

t.test('every 429 says how long its window lasts', async (t) => {
  const blocks = [
    managementHeaders('r', 429, { retryAfter: 42 }),
    managementHeaders('r', 429, { contentType: plainText, retryAfter: 42 }),
    evaluationLimitedHeaders(42),
  ];
  for (const block of blocks) t.equal(linesOf(block).get('retry-after'), '42');
});

t.test('an ETag is sent if there is one, and a 304 has no Content-Type', async (t) => {
  const tagged = linesOf(managementHeaders('r', 200, { entityTag: '"5-2"' }));
  t.equal(tagged.get('etag'), '"5-2"');
  t.match(tagged.get('access-control-expose-headers'), 'ETag');
  t.notOk(linesOf(managementHeaders('r', 200, { entityTag: null })).has('etag'));
  const unchanged = linesOf(managementHeaders('r', 304, { entityTag: '"5-2"' }));
  t.notOk(unchanged.has('content-type'));
  t.same([...unchanged.keys()].sort(), [...linesOf(managementHeaders('r', 304)).keys(), 'etag'].sort());
});

t.test(
  'a detached node says so with each block, once, and where a page may read headers it may read that',
  async (t) => {
    const evaluation = [evaluationHeadersFor(200), evaluationHeadersFor(503), evaluationLimitedHeaders(42)];
    for (const block of evaluation) {
      const detached = linesOf(detachedHeaders(block));
      t.equal(detached.get('burgee-state'), 'detached');
      detached.delete('burgee-state');
      t.same([...detached], [...linesOf(block)], 'and nothing else is different');
    }
    const [ready] = evaluation as [HeaderBlock];
    t.equal(detachedHeaders(ready), detachedHeaders(ready), 'an evaluation makes no block of its own');
    t.equal(detachedHeaders(detachedHeaders(ready)), detachedHeaders(ready));
    const management = linesOf(detachedHeaders(managementHeaders('r', 503)));
    t.equal(management.get('burgee-state'), 'detached');
    t.equal(
      management.get('access-control-expose-headers'),
      'X-Request-Id, Retry-After, ETag, Burgee-Name-Taken-By, Burgee-State',
    );
    t.equal(management.get('x-request-id'), 'r');
  },
);
