import { toUSVString } from 'node:util';
import t from 'tap';
import type { AuditChange } from '../../../src/domain/audit/audit-entry.ts';
import { changesAsJson, changesFromText, changesToText } from '../../../src/domain/audit/changes-text.ts';

const cohorts = Array.from({ length: 20_000 }, (_, at) => `cohört 😀 "${at}"`);
const cases: readonly (readonly AuditChange[])[] = [
  [],
  [{ field: 'enabled', before: false, after: true }],
  [{ field: 'cohorts', before: null, after: cohorts }],
  [
    { field: 'a"b', before: cohorts, after: [] },
    { field: 'rules', before: [], after: [{ attribute: 'plan', values: cohorts }] },
    { field: 'description', before: '😀'.repeat(20_000), after: null },
    { field: 'trafficPercentage', before: 0, after: 12.5 },
  ],
];

t.test('changes come back from their text as they were', async (t) => {
  for (const changes of cases) t.strictSame(changesFromText(changesToText(changes)), changes);
});

t.test('their JSON is the same in pieces as whole, and no piece is long or halves a character', async (t) => {
  for (const changes of cases) {
    const pieces = [...changesAsJson(changesToText(changes))];
    t.equal(pieces.join(''), JSON.stringify(changes));
    t.ok(pieces.every((piece) => piece.length <= 32 * 1024 && toUSVString(piece) === piece));
  }
});

t.test('a change that lacks a part is a fault, never shown as another one', async (t) => {
  const text = `[["${'x'.repeat(20_000)}",null]]`;
  t.throws(() => [...changesAsJson(text)], /lacks a part/);
});
