import t from 'tap';
import {
  changesBetween,
  type Draft,
  draftChanges,
  draftValue,
  editDraft,
  type Fields,
  newDraft,
  openClashes,
  rebaseDraft,
  yieldClashes,
} from '../../src/console/draft/draft.ts';
import { undoingEdits } from '../../src/console/draft/flag-fields.ts';
import fc from '../support/fast-check.ts';

const base: Fields = { name: 'checkout', tags: ['a'], '1/enabled': false, '1/trafficPercentage': 10 };

t.test('an edit back to the stored value is no edit', async (t) => {
  const draft = editDraft(newDraft(base, 3), { '1/trafficPercentage': 50, tags: ['a', 'b'] });
  t.strictSame(draftChanges(draft), [
    { key: 'tags', before: ['a'], after: ['a', 'b'] },
    { key: '1/trafficPercentage', before: 10, after: 50 },
  ]);
  const back = editDraft(draft, { '1/trafficPercentage': 10, tags: ['a'] });
  t.strictSame(draftChanges(back), []);
  t.equal(draftValue(back, 'name'), 'checkout');
});

t.test("others' changes to other fields leave a draft alone", async (t) => {
  const draft = editDraft(newDraft(base, 3), { '1/trafficPercentage': 50 });
  const rebased = rebaseDraft(draft, { ...base, name: 'renamed' }, 4);
  t.strictSame(rebased.clashes, []);
  t.strictSame(rebased.theirs, [{ key: 'name', before: 'checkout', after: 'renamed' }]);
  t.equal(rebased.draft.revision, 4);
  t.strictSame(draftChanges(rebased.draft), [{ key: '1/trafficPercentage', before: 10, after: 50 }]);
});

t.test("taking the others' values drops only the clashing edits", async (t) => {
  const draft = editDraft(newDraft(base, 3), { '1/trafficPercentage': 50, tags: ['b'] });
  const yielded = yieldClashes(rebaseDraft(draft, { ...base, '1/trafficPercentage': 33 }, 4));
  t.strictSame(draftChanges(yielded), [{ key: 'tags', before: ['a'], after: ['b'] }]);
  t.equal(draftValue(yielded, '1/trafficPercentage'), 33);
  t.equal(yielded.revision, 4);
});

t.test('a field that both changed is a clash that keeps both values', async (t) => {
  const draft = editDraft(newDraft(base, 3), { '1/trafficPercentage': 50, name: 'mine' });
  const rebased = rebaseDraft(draft, { ...base, '1/trafficPercentage': 33, tags: [] }, 5);
  t.strictSame(rebased.clashes, [{ key: '1/trafficPercentage', base: 10, theirs: 33, mine: 50 }]);
  t.strictSame(rebased.theirs, [{ key: 'tags', before: ['a'], after: [] }]);
  t.strictSame(draftChanges(rebased.draft), [
    { key: 'name', before: 'checkout', after: 'mine' },
    { key: '1/trafficPercentage', before: 33, after: 50 },
  ]);
});

t.test('an edit that another member has made too is dropped from the draft', async (t) => {
  const draft = editDraft(newDraft(base, 3), { '1/trafficPercentage': 50 });
  const rebased = rebaseDraft(draft, { ...base, '1/trafficPercentage': 50 }, 4);
  t.strictSame(rebased.clashes, []);
  t.strictSame(rebased.draft.edits, {});
});

t.test('edits of a deleted environment are dropped', async (t) => {
  const draft = editDraft(newDraft(base, 3), { '1/enabled': true, name: 'mine' });
  const rebased = rebaseDraft(draft, { name: 'checkout', tags: ['a'] }, 4);
  t.strictSame(rebased.draft.edits, { name: 'mine' });
  t.strictSame(rebased.clashes, []);
});

t.test('a clash keeps the value on which the edit began, and ends with the edit', async (t) => {
  const begun = editDraft(newDraft(base, 3), { '1/trafficPercentage': 50 });
  const first = rebaseDraft(begun, { ...base, '1/trafficPercentage': 33 }, 4);
  const [clash] = openClashes(first.draft, [], first.clashes);
  t.strictSame(clash, { key: '1/trafficPercentage', base: 10, theirs: 33, mine: 50 });
  const edited = editDraft(first.draft, { '1/trafficPercentage': 60, name: 'mine' });
  const second = rebaseDraft(edited, { ...base, '1/trafficPercentage': 40 }, 5);
  t.strictSame(openClashes(second.draft, first.clashes, second.clashes), [
    { key: '1/trafficPercentage', base: 10, theirs: 40, mine: 60 },
  ]);
  const given = editDraft(second.draft, { '1/trafficPercentage': 40 });
  t.strictSame(openClashes(given, second.clashes), []);
});

const fields = fc.record({
  a: fc.integer({ max: 3, min: 0 }),
  b: fc.boolean(),
  c: fc.array(fc.constantFrom('x', 'y')),
});

t.test('for any stored changes of others, keeping the draft changes exactly the edited fields', async () => {
  fc.assert(
    fc.property(fields, fields, fields, (stored, mine, theirs) => {
      const draft: Draft = editDraft(newDraft(stored, 1), mine);
      const { draft: rebased, clashes } = rebaseDraft(draft, theirs, 2);
      const result: Fields = { ...rebased.base, ...rebased.edits };
      const said = new Set(Object.keys(draft.edits));
      return (
        Object.keys(theirs).every(
          (key) =>
            JSON.stringify(result[key]) ===
            JSON.stringify(said.has(key) ? draft.edits[key] : (theirs as Fields)[key]),
        ) &&
        clashes.every(({ key }) => said.has(key)) &&
        changesBetween(rebased.base, result).length === Object.keys(rebased.edits).length
      );
    }),
  );
});

t.test('changes of the audit log are undone by edits', async (t) => {
  const change = (environment: string | null, field: string, before: unknown, after: unknown) => ({
    ...{ environment, field, before, after },
    ...{ cut: null, totals: null },
  });
  const numberOf = (name: string) => ({ production: '1', staging: '2' })[name];
  const newestFirst = [
    change('production', 'trafficPercentage', 50, 100),
    change('production', 'trafficPercentage', 10, 50),
    change('gone', 'enabled', false, true),
    change(null, 'name', 'old', 'new'),
    change(null, 'aliases', [], ['old']),
    change(null, 'answersToName', false, true),
    change(null, 'environments.staging.cohorts', [], ['qa']),
  ];
  t.strictSame(undoingEdits(newestFirst, numberOf), {
    '1/trafficPercentage': 10,
    name: 'old',
    '2/cohortOverride': null,
  });
  t.strictSame(undoingEdits([change(null, 'enabled', true, false)], numberOf), { '0/enabled': true });
  const cut = { ...change(null, 'cohorts', ['a'], ['b']), cut: { before: 0, after: 900 } };
  t.strictSame(undoingEdits([change(null, 'cohorts', ['b'], []), cut], numberOf), {}, 'known in part');
});
