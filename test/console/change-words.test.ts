import t from 'tap';
import { fieldWord, listChange, splitField, valueWords } from '../../src/console/parts/change-words.ts';
import { zonedDay } from '../../src/console/parts/format-time.ts';

const audienceName = (id: string) => `named ${id}`;

t.test('values are put into words', async (t) => {
  t.equal(valueWords('enabled', true, audienceName), 'On');
  t.equal(valueWords('trafficPercentage', 25, audienceName), '25%');
  t.equal(valueWords('audienceId', 'A1', audienceName), 'named A1');
  t.equal(valueWords('audienceId', null, audienceName), 'Everyone');
  t.equal(valueWords('expiresAt', 0, audienceName), 'never');
  t.match(valueWords('expiresAt', Date.UTC(2027, 1, 19, 12), audienceName), /^\d+ Feb 2027$/);
  t.match(
    valueWords('linkExpiresAt', Date.UTC(2027, 1, 19, 12), audienceName),
    /^\d+ Feb 2027, \d\d:\d\d \S+$/,
  );
  t.equal(valueWords('trialEndsAt', null, audienceName), 'none');
  t.equal(valueWords('role', 'owner', audienceName), 'Owner');
  t.equal(valueWords('role', null, audienceName), 'none');
  t.equal(valueWords('description', '', audienceName), 'none');
  t.equal(fieldWord('trafficPercentage'), 'Rollout');
  t.equal(fieldWord('unheardOf'), 'unheardOf');
});

const whole = { addedMore: 0, removedMore: 0 };

t.test("a list's added and removed items are shown; each rule is one line", async (t) => {
  t.strictSame(listChange({ before: ['a', 'b'], after: ['b', 'c'] }), {
    added: ['c'],
    removed: ['a'],
    ...whole,
  });
  t.strictSame(listChange({ before: null, after: ['a'] }), { added: ['a'], removed: [], ...whole });
  t.strictSame(listChange({ before: [], after: [{ attribute: 'plan', values: ['pro', 'team'] }] }), {
    added: ['plan is pro or team'],
    removed: [],
    ...whole,
  });
  t.equal(listChange({ before: 1, after: 2 }), null);
  t.equal(listChange({ before: null, after: null }), null);
});

t.test('of a long list the removed and added items are shown, and the others counted', async (t) => {
  const rule = { attribute: 'plan', values: ['pro'], cut: 7 };
  t.strictSame(listChange({ before: ['a', 'b'], after: ['b', rule], cut: { before: 9, after: 1 } }), {
    added: ['b', 'plan is pro or 7 more'],
    removed: ['a', 'b'],
    addedMore: 1,
    removedMore: 9,
  });
  t.match(listChange({ before: null, after: ['a'], cut: { before: 0, after: 5 } }), { addedMore: 5 });
});

t.test('of a rule with a long list, only differing values are shown, and the others counted', async (t) => {
  const values = Array.from({ length: 5000 }, (_, index) => `user-${index}`);
  const rule = { attribute: 'user', values };
  const edited = { attribute: 'user', values: [...values.slice(1), 'Doe, Jane'] };
  t.match(listChange({ before: [rule], after: [edited] }), {
    removed: ['user is user-0 or 4,999 more'],
    added: ['user is "Doe, Jane" or 4,999 more'],
  });
  const shorter = { attribute: 'user', values: values.slice(1) };
  t.strictSame(listChange({ before: [rule], after: [shorter] })?.added, ['user is 4,999 values']);
  const [added = ''] = listChange({ before: [], after: [rule] })?.added ?? [];
  t.match(added, /^user is user-0 or .* or user-19 or 4,980 more$/);
});

t.test('a rule that lists only differences shows how many values it has', async (t) => {
  const whole = { count: 5000, sha256: '' };
  const [before] =
    listChange({ before: [{ attribute: 'user', values: ['gone'], whole }], after: [] })?.removed ?? [];
  t.equal(before, 'user is gone or 4,999 more');
});

t.test('a long own list that gains an item is not shown as a new list', async (t) => {
  const change = {
    environment: 'staging',
    field: 'cohorts',
    before: [],
    after: ['new'],
    cut: { before: 0, after: 0 },
  };
  const totals = { before: 500, after: 501 };
  t.match(splitField({ ...change, totals }), { field: 'cohortOverride', before: [], after: ['new'] });
  t.match(splitField({ ...change, totals: { before: 0, after: 1 } }), { before: null, after: ['new'] });
  t.match(splitField({ ...change, before: ['old'], after: [], totals: { before: 500, after: 0 } }), {
    after: null,
  });
});

t.test("a field of one of several environments has the environment's name", async (t) => {
  const change = { environment: null, field: 'environments.eu.west-1.enabled', before: false, after: true };
  t.strictSame(splitField(change), {
    environment: 'eu.west-1',
    field: 'enabled',
    before: false,
    after: true,
  });
  t.strictSame(splitField({ ...change, field: 'name' }), { ...change, field: 'name' });
});

t.test('draft and audit log describe an environment’s own cohorts in the same words', async (t) => {
  const drafted = { environment: 'staging', field: 'cohortOverride', before: null, after: ['qa'] };
  t.same(splitField(drafted), drafted);
  t.same(splitField({ environment: 'staging', field: 'cohorts', before: [], after: ['qa'] }), drafted);
  const several = { environment: null, field: 'environments.staging.cohorts', before: [], after: ['qa'] };
  t.same(splitField(several), drafted);
  const flagWide = { environment: null, field: 'cohorts', before: [], after: ['qa'] };
  t.same(splitField(flagWide), flagWide);
});

t.test('a day in an address is the same time for a reader in another zone', async (t) => {
  const former = process.env['TZ'];
  t.teardown(() => {
    process.env['TZ'] = former;
  });
  for (const [zone, day, at] of [
    ['Asia/Kolkata', '2026-11-28T00:00+05:30', '2026-11-27T18:30:00.000Z'],
    ['America/New_York', '2026-11-28T00:00-05:00', '2026-11-28T05:00:00.000Z'],
    ['UTC', '2026-11-28T00:00+00:00', '2026-11-28T00:00:00.000Z'],
  ] as const) {
    process.env['TZ'] = zone;
    t.equal(zonedDay('2026-11-28'), day);
    t.equal(new Date(day).toISOString(), at);
  }
});
