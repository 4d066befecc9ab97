import t from 'tap';
import { readCallerIds } from '../../src/support/caller-ids.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

t.test('the trace id of a traceparent', async (t) => {
  for (const sent of [
    `00-${trace}-${span}-01`,
    `00-${trace}-${span}-00`,
    `cc-${trace}-${span}-01-what-comes`,
  ]) {
    t.same(readCallerIds([sent], []), { traceId: trace }, sent);
  }
});

t.test('a traceparent that is not one is as none', async (t) => {
  const malformed = [
    ...['', 'garbage', trace, `00-${trace}-${span}`, `00-${trace}-${span}-1`, `0-${trace}-${span}-01`],
    // Version 00 ends after the flags, and version ff is none.
    ...[`00-${trace}-${span}-01-more`, `00-${trace}-${span}-01-`, `ff-${trace}-${span}-01`],
    ...[`00-${'0'.repeat(32)}-${span}-01`, `00-${trace}-${'0'.repeat(16)}-01`],
    ...[`00-${trace.toUpperCase()}-${span}-01`, ` 00-${trace}-${span}-01`, `00-${trace}x-${span}-01`],
  ];
  for (const sent of malformed) t.same(readCallerIds([sent], []), {}, sent);
  t.same(readCallerIds([`00-${trace}-${span}-01`, `00-${trace}-${span}-01`], []), {}, 'sent twice');
});

t.test("a caller's request id is bounded, and has nothing that needs an escape", async (t) => {
  for (const id of ['7f3c', '01J9:a/b+c=', '550e8400-e29b-41d4-a716-446655440000', 'x'.repeat(128)]) {
    t.same(readCallerIds([], [id]), { clientRequestId: id });
  }
  for (const id of ['', 'x'.repeat(129), 'two words', '"', 'a\\b', 'a\u0000', 'é', '{}', 'line\n']) {
    t.same(readCallerIds([], [id]), {}, JSON.stringify(id));
  }
  t.same(readCallerIds([], ['one', 'two']), {}, 'sent twice');
});
