import { hash } from 'node:crypto';
import t from 'tap';
import { changesFromText, changesToText } from '../../../src/domain/audit/recorded-changes.ts';
import { type CutChange, itemsListedMax, shownChange } from '../../../src/domain/audit/shown-changes.ts';

function textOf(before: unknown, after: unknown): string {
  return changesToText([{ field: 'f', before, after }], (text) => hash('sha256', text));
}

function shown(before: unknown, after: unknown): CutChange {
  const [change] = changesFromText(textOf(before, after));
  if (change === undefined) throw new Error('a change is shown');
  return shownChange(change);
}

function items(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `"item" ${from + at}`);
}

t.test('short lists are shown completely', async (t) => {
  const rules = [{ attribute: 'plan', values: ['pro', 'team'] }];
  const pairs: readonly [unknown, unknown][] = [
    [false, true],
    [null, 'x'.repeat(20_000)],
    [['a'], ['a', 'b']],
    [null, items(1, itemsListedMax)],
    [[], rules],
    [{ a: 1 }, null],
  ];
  for (const [before, after] of pairs)
    t.strictSame(shown(before, after), { field: 'f', before, after, cut: null, totals: null });
});

t.test('of a long list the removed and added items are shown, and the others counted', async (t) => {
  const all = items(1, 10_000);
  const first = items(1, itemsListedMax);
  const cut = (before: number, after: number) => ({ field: 'f', cut: { before, after } });
  const totals = (before: number, after: number) => ({ totals: { before, after } });
  t.strictSame(shown(null, all), { ...cut(0, 9900), ...totals(0, 10_000), before: null, after: first });
  t.strictSame(shown(all, null), { ...cut(9900, 0), ...totals(10_000, 0), before: first, after: null });
  t.strictSame(shown(all, ['new', ...all]), {
    ...cut(0, 0),
    ...totals(10_000, 10_001),
    before: [],
    after: ['new'],
  });
  t.strictSame(shown(all, all.toReversed()), {
    ...cut(0, 0),
    ...totals(10_000, 10_000),
    before: [],
    after: [],
  });
  t.strictSame(shown(all, items(5001, 15_100)), {
    ...cut(4900, 5000),
    ...totals(10_000, 10_100),
    before: first,
    after: items(10_001, 10_100),
  });
  const long = ['x'.repeat(10_000), 'y'.repeat(10_000)];
  t.strictSame(
    shown([], long),
    { ...cut(0, 0), ...totals(0, 2), before: [], after: long },
    'a few items may be long',
  );
});

t.test('a rule with many values shows the first ones, and the number of the others', async (t) => {
  const rules = [
    { attribute: 'plan', values: ['pro'] },
    { attribute: 'user', values: items(1, 5000) },
  ];
  const values = items(1, itemsListedMax);
  const change = shown(null, rules);
  t.strictSame(change.after, [rules[0], { attribute: 'user', values, cut: 4900 }]);
  t.strictSame(change.totals, { before: 0, after: 2 });
});

t.test('a rule that lists only differences is cut like a complete one', async (t) => {
  const rule = (from: number, to: number) => ({ attribute: 'user', values: items(from, to) });
  const change = shown([rule(1, 5000)], [rule(601, 5001)]);
  const whole = { count: 5000, sha256: hash('sha256', JSON.stringify(items(1, 5000))) };
  t.strictSame(change.before, [{ attribute: 'user', values: items(1, itemsListedMax), cut: 500, whole }]);
  t.match(change.after, [{ attribute: 'user', values: ['"item" 5001'], whole: { count: 4401 } }]);
});
