import t from 'tap';
import {
  favouritesMax,
  initialPreferences,
  PreferenceStore,
  projectsMax,
  type TextStorage,
  withFavourite,
} from '../../src/console/parts/preferences.ts';

class MapStorage implements TextStorage {
  readonly texts = new Map<string, string>();

  getItem(key: string): string | null {
    return this.texts.get(key) ?? null;
  }

  setItem(key: string, text: string): void {
    this.texts.set(key, text);
  }
}

t.test('choices are read again by the next page of the same member, and by nobody else', async (t) => {
  const storage = new MapStorage();
  const store = new PreferenceStore('ines', () => storage);
  t.same(store.present, initialPreferences);
  store.change({ density: 'compact' });
  store.changeProject('shop', () => ({ pinnedColumns: [2], favourites: ['f1', 'f2'] }));
  store.changeProject('shop', ({ favourites }) => ({ favourites: favourites.slice(1) }));

  const next = new PreferenceStore('ines', () => storage).present;
  t.match(next, { density: 'compact', hasSingleKeys: true });
  t.match(next.projects.get('shop'), { pinnedColumns: [2], favourites: ['f2'], hiddenColumns: [] });
  t.same(new PreferenceStore('otto', () => storage).present, initialPreferences);
});

t.test('two tabs do not undo each other', async (t) => {
  const storage = new MapStorage();
  const [one, other] = [
    new PreferenceStore('ines', () => storage),
    new PreferenceStore('ines', () => storage),
  ];
  let heard = 0;
  other.subscribe(() => {
    heard += 1;
  });
  one.change({ hasSingleKeys: false });
  other.readAgain();
  t.equal(other.present.hasSingleKeys, false);
  other.readAgain();
  t.equal(heard, 1, 'the same text is not read twice');
  one.changeProject('shop', () => ({ favourites: ['f1'] }));
  other.changeProject('shop', ({ favourites }) => ({ favourites: [...favourites, 'f2'] }));
  one.readAgain();
  t.same(one.present.projects.get('shop')?.favourites, ['f1', 'f2']);
});

t.test('only the projects and favourites that fit are kept, the newest ones', async (t) => {
  const storage = new MapStorage();
  const store = new PreferenceStore('ines', () => storage);
  for (let index = 0; index <= projectsMax; index += 1) {
    store.changeProject(`p${index}`, () => ({ hiddenColumns: [index] }));
  }
  store.changeProject('p1', () => ({
    favourites: Array.from({ length: favouritesMax + 5 }, (_, at) => `f${at}`),
  }));
  store.changeProject('new', () => ({}));
  const { projects } = new PreferenceStore('ines', () => storage).present;
  t.equal(projects.size, projectsMax);
  t.notOk(projects.has('p0') || projects.has('p2'), 'the projects that were changed least recently are gone');
  t.match(projects.get('p1'), { hiddenColumns: [1] });
  t.equal(projects.get('p1')?.favourites.length, favouritesMax);
});

t.test('what is stored wrongly is ignored, part by part', async (t) => {
  const storage = new MapStorage();
  const read = (text: string) => {
    storage.setItem('burgee.preferences.ines', text);
    return new PreferenceStore('ines', () => storage).present;
  };
  for (const text of ['', '{', 'null', '[]', '7', '{"version":99,"density":"compact"}']) {
    t.same(read(text), initialPreferences, text);
  }
  const shop = {
    columnOrder: [3, '4', -1, 1.5, 3],
    hiddenColumns: 'all',
    favourites: ['f1', 7, 'a b', 'x'.repeat(65)],
    savedFilters: [{ name: 'mine', search: { q: 'pay', state: 7 } }, { name: '' }, null, 'x'],
  };
  const stored = {
    version: 1,
    density: 'tiny',
    hasSingleKeys: 'no',
    projects: { shop, '<b>': {}, other: 7 },
  };
  const { projects, ...rest } = read(JSON.stringify(stored));
  t.same(rest, { density: 'comfortable', hasSingleKeys: true });
  t.same([...projects.keys()], ['shop', 'other']);
  t.same(projects.get('shop'), {
    columnOrder: [3],
    hiddenColumns: [],
    pinnedColumns: null,
    favourites: ['f1'],
    savedFilters: [{ name: 'mine', search: { q: 'pay' } }],
  });
});

t.test('without storage a choice lasts as long as the page', async (t) => {
  const store = new PreferenceStore('ines', () => {
    throw new Error('The operation is insecure.');
  });
  store.change({ density: 'compact' });
  store.changeProject('shop', () => ({ favourites: ['f1'] }));
  t.equal(store.present.density, 'compact');
  t.same(store.present.projects.get('shop')?.favourites, ['f1']);
});

t.test(
  'one favourite more than there is room for takes the place of a deleted one, or is refused',
  async (t) => {
    const full = Array.from({ length: favouritesMax }, (_, index) => `f${index}`);
    t.same(
      withFavourite(['a', 'b'], 'a', () => false),
      ['b', 'a'],
      'below the bound nothing is forgotten',
    );
    t.equal(
      withFavourite(full, 'new', () => true),
      null,
    );
    t.same(
      withFavourite(full, 'new', (id) => id !== 'f3'),
      [...full.filter((id) => id !== 'f3'), 'new'],
    );
  },
);
