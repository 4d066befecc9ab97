import { deepStrictEqual } from 'node:assert';
import { hash } from 'node:crypto';
import t from 'tap';
import type { AuditChange, RecordedChange } from '../../../src/domain/audit/audit-entry.ts';
import { changesFromText, changesToText } from '../../../src/domain/audit/recorded-changes.ts';
import fc from '../../support/fast-check.ts';

const sha256 = (text: string): string => hash('sha256', text);

const cohorts = Array.from({ length: 20_000 }, (_, at) => `cohört 😀 "${at}"`);
const cases: readonly (readonly AuditChange[])[] = [
  [],
  [{ field: 'enabled', before: false, after: true }],
  [{ field: 'cohorts', before: null, after: cohorts }],
  [
    { field: 'a"b', before: cohorts, after: null },
    { field: 'tags', before: ['a'], after: ['a', 'b'] },
    { field: 'rules', before: null, after: [{ attribute: 'plan', values: cohorts }] },
    { field: 'description', before: '😀'.repeat(20_000), after: null },
    { field: 'trafficPercentage', before: 0, after: 12.5 },
  ],
];

t.test('changes read from their text are equal to the written ones', async (t) => {
  for (const changes of cases) t.strictSame(changesFromText(changesToText(changes, sha256)), changes);
});

/** The recorded form of a list's change. */
function recorded(before: unknown, after: unknown): RecordedChange | undefined {
  const text = changesToText([{ field: 'cohorts', before, after }], sha256);
  const [change] = changesFromText(text);
  return change;
}

function wholeOf(list: readonly unknown[]) {
  return { count: list.length, sha256: sha256(JSON.stringify(list)) };
}

t.test(
  'of a long list an entry has the removed and added items, and the digests of both lists',
  async (t) => {
    const cases: readonly (readonly [before: string[], after: string[], went: string[], came: string[]])[] = [
      [cohorts, [...cohorts, 'new'], [], ['new']],
      [cohorts, cohorts.slice(2), cohorts.slice(0, 2), []],
      [cohorts, cohorts.toSpliced(500, 2, 'x', 'y', 'z'), cohorts.slice(500, 502), ['x', 'y', 'z']],
      [cohorts, cohorts.toReversed(), [], []],
      [cohorts, [], cohorts, []],
      [[], cohorts, [], cohorts],
      [cohorts, [...cohorts, 'new', 'new'], [], ['new', 'new']],
      [[...cohorts, 'old', 'old'], ['old', ...cohorts], ['old'], []],
      [['one'], ['x'.repeat(17_000)], ['one'], ['x'.repeat(17_000)]],
    ];
    for (const [before, after, went, came] of cases) {
      const whole = { before: wholeOf(before), after: wholeOf(after) };
      t.strictSame(recorded(before, after), { field: 'cohorts', before: went, after: came, whole });
    }
  },
);

t.test('a long list that gains an item takes only that item’s bytes in the log', async (t) => {
  const before = Array.from({ length: 80_000 }, (_, at) => `user-${at}`);
  const text = changesToText([{ field: 'cohorts', before, after: [...before, 'one-more'] }], sha256);
  t.ok(text.length < 400, `${text.length} characters`);
});

t.test('of a long rule that gains a value, the value is recorded', async (t) => {
  const values = cohorts.map((cohort) => cohort.toUpperCase());
  const short = { attribute: 'plan', values: ['pro'] };
  const change = recorded(
    [short, { attribute: 'user', values }],
    [short, { attribute: 'user', values: ['me', ...values] }],
  );
  t.strictSame(change?.before, [{ attribute: 'user', values: [], whole: wholeOf(values) }]);
  t.strictSame(change?.after, [{ attribute: 'user', values: ['me'], whole: wholeOf(['me', ...values]) }]);
});

t.test('two rules with the same attribute are recorded completely', async (t) => {
  const rule = (value: string) => ({ attribute: 'user', values: [value, ...cohorts] });
  const change = recorded([rule('a'), rule('b')], [rule('c'), rule('d')]);
  t.strictSame(change?.before, [rule('a'), rule('b')]);
  t.strictSame(change?.after, [rule('c'), rule('d')]);
});

t.test('the old list without what was removed and with what was added is the new list', async (t) => {
  // More items than a short list has, so that the difference is recorded.
  const padding = Array.from({ length: 101 }, (_, at) => `padding ${at}`);
  const list = fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 100 });
  const property = fc.property(list, list, (before, after) => {
    const change = recorded([...padding, ...before], [...padding, ...after]);
    const [removed, added] = [change?.before, change?.after] as [string[], string[]];
    deepStrictEqual([...after, ...removed].toSorted(), [...before, ...added].toSorted());
    return !removed.some((item) => added.includes(item));
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
});
