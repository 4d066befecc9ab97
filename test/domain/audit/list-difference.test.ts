import { deepStrictEqual } from 'node:assert';
import t from 'tap';
import { listDifference } from '../../../src/domain/audit/list-difference.ts';
import fc from '../../support/fast-check.ts';

function difference(before: readonly string[], after: readonly string[]) {
  return listDifference(before, after, (item) => item);
}

function items(letter: string, total: number): string[] {
  return Array.from({ length: total }, (_, at) => `${letter}${at}`);
}

t.test('applying removed and added items to one list gives the items of the other', async (t) => {
  const list = fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 100 });
  const property = fc.property(list, list, (before, after) => {
    const { removed, added } = difference(before, after);
    deepStrictEqual([...after, ...removed].toSorted(), [...before, ...added].toSorted());
    return !removed.some((item) => added.includes(item));
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
});

t.test('scattered differences of a long list are found in one pass, in the order of the lists', async (t) => {
  const before = items('a', 150_000);
  const after = before.flatMap((item, at) => {
    if (at % 1000 === 7) return [];
    return at % 1000 === 500 ? [item, `new${at}`] : [item];
  });
  const { removed, added } = difference(before, after);
  t.equal(removed.length, 150);
  t.equal(added.length, 150);
  t.strictSame(removed.slice(0, 2), ['a7', 'a1007']);
  t.strictSame(added.slice(0, 2), ['new500', 'new1500']);
});

t.test('without common items, all of one list are removed and all of the other added', async (t) => {
  const [before, after] = [items('a', 150_000), items('b', 120_000)];
  t.strictSame(difference(before, after), { removed: before, added: after });
});

t.test('for a long list in another order, the difference is right, though not minimal', async (t) => {
  const before = items('a', 60_000);
  const after = [...before.slice(30_000), 'new', ...before.slice(0, 29_999)];
  const { removed, added } = difference(before, after);
  t.strictSame([...after, ...removed].toSorted(), [...before, ...added].toSorted());
});

t.test('a shorter list in another order has no difference', async (t) => {
  const before = items('a', 30_000);
  t.strictSame(difference(before, before.toReversed()), { removed: [], added: [] });
});
