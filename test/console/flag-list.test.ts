import t from 'tap';
import {
  byNameAndId,
  type FlagItem,
  type KnownFlags,
  listedState,
  nextRound,
  withFlags,
  withPage,
} from '../../src/console/client/flag-list.ts';
import {
  chosenFlags,
  chosenTags,
  sortOf,
  writtenSort,
  writtenTags,
} from '../../src/console/screens/flags/filter-flags.ts';
import type { FlagPage, FlagRow, StateKind } from '../../src/contracts/console/flag-views.ts';

const off: StateKind = { enabled: false, trafficPercentage: 0, cohortOverrideCount: null, audienceId: null };
const on: StateKind = { ...off, enabled: true, trafficPercentage: 50 };
const full: StateKind = { ...on, trafficPercentage: 100 };
const nobody: StateKind = { ...off, enabled: true };
const kinds = [off, on, full, nobody];

/** @param states indexes into `kinds`, in the environments 1 and 2 */
function row(name: string, states: readonly number[], more: Partial<FlagRow> = {}): FlagRow {
  return {
    ...{
      id: `${name}-id`,
      name,
      answersToName: true,
      description: `About ${name}`,
      tags: [],
      cohortCount: 0,
    },
    ...{ states: [...states], revision: 1, updatedAt: 0, ...more },
  };
}

function page(flags: readonly FlagRow[], next: string | null = null): FlagPage {
  return { environments: [1, 2], kinds, flags: [...flags], next };
}

function listOf(...flags: readonly FlagRow[]): KnownFlags {
  return withPage(nextRound(undefined), page(flags));
}

const list = listOf(
  row('Checkout', [1, 0], { tags: ['shop', 'ops'], updatedAt: 3 }),
  row('Dark mode', [0, 2], { updatedAt: 9 }),
  row('Ghost', [3, 0]),
  row('Search', [0, 0], { tags: ['shop'], updatedAt: 5 }),
);

type Wanted = Parameters<typeof chosenFlags>[1];

function namesOf(search: Wanted['search'], favourites: readonly string[] = []): string[] {
  const wanted = { search, favourites: new Set(favourites), production: [1] };
  return chosenFlags(list.flags, wanted).map(({ name }) => name);
}

const everyName = ['Checkout', 'Dark mode', 'Ghost', 'Search'];

t.test('each word of a search is found in name, id, description or tags, in any case', async (t) => {
  t.strictSame(namesOf({}), everyName);
  t.strictSame(namesOf({ q: 'CHECK' }), ['Checkout']);
  t.strictSame(namesOf({ q: 'about mode' }), ['Dark mode']);
  t.strictSame(namesOf({ q: 'search-id' }), ['Search']);
  t.strictSame(namesOf({ q: 'shop ops' }), ['Checkout']);
  t.strictSame(namesOf({ q: 'nothing' }), []);
});

t.test('a state is that of the chosen environment, or of any', async (t) => {
  t.strictSame(namesOf({ state: 'on' }), ['Checkout', 'Dark mode', 'Ghost']);
  t.strictSame(namesOf({ state: 'on', environment: '2' }), ['Dark mode']);
  t.strictSame(namesOf({ state: 'off', environment: '2' }), ['Checkout', 'Ghost', 'Search']);
  t.strictSame(namesOf({ state: 'nobody' }), ['Ghost']);
  t.strictSame(namesOf({ state: 'on', environment: '99' }), []);
  t.strictSame(namesOf({ tag: 'shop', state: 'on' }), ['Checkout']);
  t.strictSame(namesOf({ tag: 'shop' }), ['Checkout', 'Search']);
  t.strictSame(namesOf({ tag: writtenTags(['shop', 'ops']) }), ['Checkout']);
  t.strictSame(chosenTags({ tag: writtenTags(['a, b', 'c']) }), ['a, b', 'c']);
});

t.test('flags are sorted by name, by change, or by how much is on; favourites are first', async (t) => {
  t.strictSame(namesOf({ sort: '-name' }), everyName.toReversed());
  t.strictSame(namesOf({ sort: 'changed' }), ['Dark mode', 'Search', 'Checkout', 'Ghost']);
  t.strictSame(namesOf({ sort: '-changed' }), ['Ghost', 'Checkout', 'Search', 'Dark mode']);
  t.strictSame(namesOf({ sort: 'production' }), ['Checkout', 'Ghost', 'Dark mode', 'Search']);
  t.strictSame(namesOf({ sort: 'environment-2' }), ['Dark mode', 'Checkout', 'Ghost', 'Search']);
  t.strictSame(namesOf({ sort: '-environment-2' }), ['Checkout', 'Ghost', 'Search', 'Dark mode']);
  t.strictSame(namesOf({ sort: 'nonsense' }), everyName);
  t.strictSame(namesOf({}, ['Search-id']), ['Search', 'Checkout', 'Dark mode', 'Ghost']);
  t.strictSame(namesOf({ favourites: 'yes' }, ['Search-id']), ['Search']);
  const counted = listOf(...['-146', '-1354', '-130', '-9', '-007x'].map((end) => row(`v${end}`, [0, 0])));
  const wish = { search: {}, favourites: new Set<string>(), production: [1] };
  t.strictSame(
    chosenFlags(counted.flags, wish).map(({ name }) => name),
    ['v-007x', 'v-9', 'v-130', 'v-146', 'v-1354'],
    'numbers are in the order of their values',
  );
  for (const written of [undefined, '-name', 'changed', '-production', 'environment-2', '-environment-2']) {
    t.equal(writtenSort(sortOf(written)), written);
  }
});

function shown({ flags }: KnownFlags): string[] {
  return flags.map((flag) => `${flag.name} ${flag.revision} ${listedState(flag, 1)?.trafficPercentage}`);
}

t.test('a list grows page by page, and is whole after the last one', async (t) => {
  const first = withPage(nextRound(undefined), page([row('a', [1, 0]), row('c', [0, 0])], 'c'));
  t.match(first, { next: 'c', isWhole: false });
  const kindsOfSecond = { environments: [2, 1], kinds: [full], flags: [row('d', [-1, 0])], next: null };
  const whole = withPage(first, kindsOfSecond);
  t.match(whole, { next: null, isWhole: true });
  t.strictSame(shown(whole), ['a 1 50', 'c 1 0', 'd 1 100'], 'each page has columns and states of its own');
  t.equal(listedState(whole.flags[2] as FlagItem, 2), undefined, 'the flag has no state there');
});

t.test('a change that is newer than a page is not taken back by it', async (t) => {
  const begun = withPage(nextRound(undefined), page([row('a', [0, 0])], 'a'));
  const changed = withFlags(begun, ['c-id', 'd-id'], page([row('c', [1, 0], { revision: 7 })]));
  t.strictSame(shown(changed), ['a 1 0', 'c 7 50']);
  const late = [row('b', [0, 0]), row('c', [0, 0], { revision: 6 }), row('d', [0, 0])];
  t.strictSame(shown(withPage(changed, page(late))), ['a 1 0', 'b 1 0', 'c 7 50'], 'd was deleted meanwhile');
});

t.test('a list that is read again stays as it is, and loses at the end what is gone', async (t) => {
  const known = listOf(row('a', [0, 0]), row('b', [0, 0]), row('c', [0, 0]));
  const again = withPage(nextRound(known), page([row('a', [1, 0], { revision: 2 })], 'a'));
  t.match(again, { isWhole: true, next: 'a' });
  t.strictSame(shown(again), ['a 2 50', 'b 1 0', 'c 1 0']);
  const created = withFlags(again, ['aa-id'], page([row('aa', [0, 0])]));
  t.strictSame(shown(withPage(created, page([row('c', [0, 0])]))), ['a 2 50', 'aa 1 0', 'c 1 0']);
});

t.test('changed flags take their places; renamed ones a new place, and deleted ones none', async (t) => {
  const known = listOf(row('a', [0, 0]), row('b', [0, 0]), row('c', [0, 0]));
  const renamed = row('z', [1, 0], { id: 'a-id', revision: 2 });
  t.strictSame(shown(withFlags(known, ['a-id', 'b-id'], page([renamed]))), ['c 1 0', 'z 2 50']);
});

t.test('the order is that of the bytes of names, as the service has it', async (t) => {
  const names = ['a', 'Z', 'ä', 'ab', '', '\uFFFD', '🙂', '\uE000', '日本'];
  const place = (name: string, id = '1') => ({ name, id });
  const sorted = names.map((name) => place(name)).sort(byNameAndId);
  const expected = names.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  t.strictSame(
    sorted.map(({ name }) => name),
    expected,
  );
  t.ok(byNameAndId(place('a', '1'), place('a', '2')) < 0);
  t.equal(byNameAndId(place('a'), place('a')), 0);
});
