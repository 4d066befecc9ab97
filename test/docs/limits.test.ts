import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type SettingName, settingNames, settings } from '../../src/config/settings.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { isBoundOf, readCollectionRows, readLimitRows, readQuantity } from './limits-page.ts';
import { noBounds } from './no-bounds.ts';
import { shortLived } from './short-lived.ts';
import { collectionsIn, readSourceCollections } from './source-collections.ts';
import { constantsIn, readSourceConstants } from './source-constants.ts';

/*
 * Compares the page of limits with the code: every constant that is a bound is on it, with its value, and every
 * collection that outlives a request.
 */

const root = repositoryRoot();
const page = readFileSync(join(root, 'docs/limits.md'), 'utf8');
const rows = readLimitRows(page);
const constants = readSourceConstants(root);

const shares =
  /^(connection|request|address|account|session|member|token|flag|audience|project|organisation|command|worker|thread|process|store)\b/;
/** Parts that have a bound without a constant in Burgee. */
const others = ['uWebSockets.js', 'ulimit -n'];

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/** The default as a number; null for one that depends on the machine. */
function defaultOf(name: SettingName): number | null {
  const { fallback } = settings[name];
  if ('value' in fallback) return Number(fallback.value);
  const basis = { host: '', port: 0, baseUrl: '', workers: 1 };
  return name === 'workers' ? null : Number(fallback.derive(basis));
}

t.test('each row says what is bounded, how much, whose share, and what happens beyond', async (t) => {
  t.ok(rows.length > 250);
  for (const { given, bound, share, atTheBound, where } of rows) {
    t.ok(
      [given, bound, where, share ?? 'none', atTheBound ?? 'none'].every((cell) => cell !== ''),
      where,
    );
    if (share !== null) t.match(share, shares, where);
  }
});

t.test('each bound equals its constant or setting', async (t) => {
  for (const { bound, where } of rows) {
    const [file = '', name] = where.split('#');
    if (name !== undefined) {
      const value = constants.get(where);
      t.ok(value !== undefined, `${where} exists`);
      t.ok(isBoundOf(name, value ?? Number.NaN, bound), `${where} is ${value}, not ${bound}`);
    } else if (isSetting(where)) {
      const value = defaultOf(where);
      if (value !== null) t.ok(isBoundOf(where, value, bound), `${where} is ${value}, not ${bound}`);
    } else t.ok(others.includes(where) || existsSync(join(root, file)), `${where} exists`);
  }
});

/** @param list names by file, as test/docs/no-bounds.ts has them */
function placesIn(list: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(list).flatMap(([file, names]) => names.split(' ').map((name) => `${file}#${name}`));
}

const isBrowsers = (constant: string): boolean => /^src\/(console|api-page)\//.test(constant);

t.test('each constant has one row, or bounds nothing', async (t) => {
  const named = rows.map(({ where }) => where).filter((where) => where.includes('#'));
  t.same(new Set(named).size, named.length, 'none has two');
  const listed = placesIn(noBounds);
  const isIn = (constant: string, place: string): boolean =>
    constant === place || constant.startsWith(`${place}.`);
  const isListed = (constant: string): boolean => listed.some((place) => isIn(constant, place));
  const missing = [...constants.keys()].filter(
    (constant) => !isBrowsers(constant) && !named.includes(constant) && !isListed(constant),
  );
  t.same(missing, [], 'docs/limits.md names each');
  const idle = listed.filter((place) => {
    const meant = [...constants.keys()].filter((name) => isIn(name, place));
    return meant.length === 0 || meant.some((name) => named.includes(name));
  });
  t.same(idle, [], 'test/docs/no-bounds.ts lists no other');
});

t.test('each numeric setting has a row, except ports', async (t) => {
  const isNumber = (name: SettingName): boolean => {
    const { schema } = settings[name];
    return 'type' in schema && schema.type === 'integer' && name !== 'port';
  };
  const numbers = settingNames.filter(isNumber);
  t.ok(numbers.length > 10);
  const named = rows.map(({ where }) => where);
  t.same(
    numbers.filter((name) => !named.includes(name)),
    [],
  );
});

t.test('each collection has one row, or is over soon', async (t) => {
  const found = readSourceCollections(root);
  t.ok(found.size > 250);
  const described = readCollectionRows(page);
  for (const { where, held, share, bound } of described) {
    t.ok(
      [held, share, bound].every((cell) => cell !== ''),
      where,
    );
    t.match(share, shares, where);
  }
  const named = described.map(({ where }) => where);
  t.same(new Set(named).size, named.length, 'none has two');
  const listed = Object.values(shortLived).flatMap(placesIn);
  const missing = [...found]
    .filter(([where, isLocal]) => !isLocal && !named.includes(where) && !listed.includes(where))
    .map(([where]) => where);
  t.same(missing, [], 'docs/limits.md names each');
  t.same(
    named.filter((where) => !found.has(where)),
    [],
    'docs/limits.md names no other',
  );
  const idle = listed.filter((where) => named.includes(where) || found.get(where) !== false);
  t.same(idle, [], 'test/docs/short-lived.ts lists no other');
});

t.test('fields, constants and members that hold collections are found', async (t) => {
  const lines = [
    'const byName: ReadonlyMap<string, number> = new Map([',
    'export const free: Buffer[] = [];',
    'const count = 3;',
    'class Queue<Item> {',
    '  readonly #waiting: (() => void)[] = [];',
    '  readonly #byKey = new Map<string, Item>();',
    '  readonly #veryLong: ReadonlyMap<string, string> =',
    '    new Map();',
    '  readonly #slots: Set<Item>[] = Array.from({ length: 3 }, () => new Set());',
    '  readonly #places: number[];',
    '  readonly #left: Map<string, number>;',
    '  readonly #given: ReadonlyMap<string, number>;',
    '  readonly #shown: readonly string[];',
    '  readonly #make: () => Item[];',
    '  #last: Item | null = null;',
    '  take(items: Item[] = []): void {',
    '    const own = new Set(items);',
    '    this.add({ items, listeners: new Set() });',
    '    this.waiting = [];',
    '  }',
    '}',
    'function serve(): void {',
    '  const asked = new Map<number, () => void>();',
    '}',
  ];
  const found = collectionsIn(lines.join('\n'));
  const kept = [
    'byName',
    'free',
    '#waiting',
    '#byKey',
    '#veryLong',
    '#slots',
    '#places',
    '#left',
    'listeners',
  ];
  t.same(
    found.filter(({ isLocal }) => !isLocal).map(({ name }) => name),
    kept,
  );
  t.same(
    found.filter(({ isLocal }) => isLocal).map(({ name }) => name),
    ['own', 'asked'],
  );
});

t.test('only constants are computed', async (t) => {
  const lines = [
    'const KiB = 2 ** 10;',
    'export const bodyBytesMax: number = (64 + 1) * KiB;',
    'const warningMs = 60_000n;',
    'const rest = 7 - 2 - 1 / 2 ** 1 ** 9;',
    "const pauseMs = { first: 5 * KiB, max: maximum(), name: 'x' };",
    'const weights = { asker: 0.5, inner: { least: 1 } } as const satisfies Weights;',
    'export const shares: Readonly<Record<string, number>> = { br: pauseMs.first / 2 };',
    'const bounds: readonly number[] = [1, KiB, last()];',
    "const read = Number('3');",
    "const text = '3';",
    'const later = soon * 2;',
    'let changing = 4;',
    'function inner() {',
    '  const hiddenMax = 1;',
    '}',
  ];
  t.same(constantsIn(lines.join('\n')), [
    { name: 'KiB', value: 1024 },
    { name: 'bodyBytesMax', value: 66_560 },
    { name: 'warningMs', value: 60_000 },
    { name: 'rest', value: 4.5 },
    { name: 'pauseMs.first', value: 5120 },
    { name: 'weights.asker', value: 0.5 },
    { name: 'weights.inner.least', value: 1 },
    { name: 'shares.br', value: 2560 },
    { name: 'bounds.0', value: 1 },
    { name: 'bounds.1', value: 1024 },
  ]);
});

t.test('a bound is compared in the unit of its name', async (t) => {
  t.ok(isBoundOf('bodyBytesMax', 2 ** 20, '1 MiB'));
  t.ok(isBoundOf('cacheBytes', 2 ** 28, '256 MiB for each worker'));
  t.ok(isBoundOf('openerMsMax', 2000, '2 s'));
  t.ok(isBoundOf('secondsMax', 3600, '1 h'));
  t.ok(isBoundOf('listsShare', 0.25, '25 %'));
  t.ok(isBoundOf('unsettledMax', 8192, '8,192'));
  t.notOk(isBoundOf('unsettledMax', 8192, '8192'), 'thousands are grouped');
  t.notOk(isBoundOf('unsettledMax', 8192, '8,193'));
  t.notOk(isBoundOf('bodyBytesMax', 2 ** 20, '1,048,576'), 'bytes are named as such');
  t.notOk(isBoundOf('openerMsMax', 2000, '2,000'));
  t.notOk(isBoundOf('atOnceMax', 30, '30 s'));
  t.equal(readQuantity('none'), null);
});
