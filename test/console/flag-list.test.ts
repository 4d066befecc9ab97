import t from 'tap';
import type { FlagWithStates } from '../../src/console/client/flag-list.ts';
import { filterFlags, searchable, tagsOf } from '../../src/console/screens/flags/filter-flags.ts';

function row(name: string, tags: string[], on: readonly boolean[]): FlagWithStates {
  const states = on.map((enabled, index) => [
    String(index + 1),
    { enabled, trafficPercentage: 0, cohortOverrideCount: null, audienceId: null },
  ]);
  return {
    id: `${name}-id`,
    name,
    description: `About ${name}`,
    tags,
    cohortCount: 0,
    states: Object.fromEntries(states),
    revision: 1,
    updatedAt: 0,
  };
}

const rows = [
  row('Checkout', ['shop', 'ops'], [true, false]),
  row('Search', ['shop'], [false, false]),
  row('Dark mode', [], [false, true]),
];
const flags = rows.map(searchable);

function namesOf(search: Parameters<typeof filterFlags>[1]): string[] {
  return filterFlags(flags, search).map(({ name }) => name);
}

t.test('each word of a search is found in name, id, description or tags, in any case', async (t) => {
  t.strictSame(namesOf({}), ['Checkout', 'Search', 'Dark mode']);
  t.strictSame(namesOf({ q: 'CHECK' }), ['Checkout']);
  t.strictSame(namesOf({ q: 'about mode' }), ['Dark mode']);
  t.strictSame(namesOf({ q: 'search-id' }), ['Search']);
  t.strictSame(namesOf({ q: 'shop ops' }), ['Checkout']);
  t.strictSame(namesOf({ q: 'nothing' }), []);
});

t.test('a state is that of the chosen environment, or of any', async (t) => {
  t.strictSame(namesOf({ state: 'on' }), ['Checkout', 'Dark mode']);
  t.strictSame(namesOf({ state: 'on', environment: '2' }), ['Dark mode']);
  t.strictSame(namesOf({ state: 'off', environment: '2' }), ['Checkout', 'Search']);
  t.strictSame(namesOf({ state: 'on', environment: '99' }), []);
  t.strictSame(namesOf({ tag: 'shop', state: 'on' }), ['Checkout']);
});

t.test('tags are listed once each, in order', async (t) => {
  t.strictSame(tagsOf(rows), ['ops', 'shop']);
});
