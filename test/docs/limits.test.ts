import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type SettingName, settingNames, settings } from '../../src/config/settings.ts';
import {
  activeTokensMax,
  attributeCodePointsMax,
  audienceBytesMax,
  audiencesMax,
  cohortCodePointsMax,
  descriptionCodePointsMax,
  emailCharsMax,
  environmentNameCharsMax,
  environmentsMax,
  flagCohortBytesMax,
  flagsMax,
  flagViewBytesMax,
  idempotencyKeyLengthMax,
  membersMax,
  nameCodePointsMax,
  passwordCharsMax,
  personalProjectsMax,
  projectRecordBytesMax,
  projectsMax,
  revokedTokensKeptMax,
  rulesMax,
  ruleValuesMax,
  slugsMax,
  tagCodePointsMax,
  tagsMax,
  tokenNameCodePointsMax,
  valueCodePointsMax,
} from '../../src/domain/bounds.ts';
import { repositoryRoot } from '../support/repository-root.ts';

const page = readFileSync(join(repositoryRoot(), 'docs/limits.md'), 'utf8');

interface Row {
  readonly limit: string;
  readonly value: string;
  /** Null if the limit is fixed. */
  readonly setting: string | null;
  readonly cells: readonly string[];
}

const rows = page.split('\n').flatMap((line): readonly Row[] => {
  if (!/^\| (?!Limit )/.test(line)) return [];
  const cells = line.slice(2, -2).split(' | ');
  const [limit = '', value = ''] = cells;
  return [{ limit, value, setting: /\(`(\w+)`\)$/.exec(value)?.[1] ?? null, cells }];
});

const units = new Map([
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['ms', 1],
  ['s', 1000],
  ['days', 86_400_000],
]);

/** @returns the number at the start of a value, in bytes or milliseconds if it has such a unit */
function amountIn(value: string): number {
  const [, digits = '', unit = ''] = /^([\d,]+)(?: (\w+))?/.exec(value) ?? [];
  return Number(digits.replaceAll(',', '') || Number.NaN) * (units.get(unit) ?? 1);
}

/** The default of a numeric setting, null if it depends on the machine; undefined for any other setting or a port. */
function numericDefault(name: SettingName): number | null | undefined {
  const { schema, fallback } = settings[name];
  if (!('type' in schema) || schema.type !== 'integer' || name === 'port') return undefined;
  if (name === 'workers') return null;
  const basis = { host: '', port: 0, baseUrl: '', workers: 1 };
  return Number('value' in fallback ? fallback.value : fallback.derive(basis));
}

t.test('the page has complete rows, and fewer than 150', async (t) => {
  t.ok(rows.length > 50);
  t.ok(rows.length < 150, String(rows.length));
  for (const { cells, limit } of rows) {
    t.equal(cells.length, 4, limit);
    t.notOk(cells.includes(''), limit);
  }
});

t.test('each numeric setting has one row with its default, and no row names anything else', async (t) => {
  const numeric = settingNames.filter((name) => numericDefault(name) !== undefined);
  t.ok(numeric.length > 15);
  const named = rows.flatMap(({ setting }) => setting ?? []);
  t.same(named.toSorted(), numeric.toSorted());
  for (const name of numeric) {
    const expected = numericDefault(name);
    const value = rows.find(({ setting }) => setting === name)?.value ?? '';
    if (expected !== null) t.equal(amountIn(value), expected, `${name}: ${value}`);
  }
});

t.test('the bounds of the data are those of the code', async (t) => {
  const bounds = {
    'characters of a name': nameCodePointsMax,
    "characters of an environment's name": environmentNameCharsMax,
    "characters of a token's name": tokenNameCodePointsMax,
    'characters of a description': descriptionCodePointsMax,
    tags: tagsMax,
    'characters of a tag': tagCodePointsMax,
    'characters of a cohort': cohortCodePointsMax,
    'all stored lists of cohorts together, in UTF-8': flagCohortBytesMax,
    'the flag as JSON with all its environments, each with the list that it uses': flagViewBytesMax,
    'rules of an audience, in UTF-8': audienceBytesMax,
    flags: flagsMax,
    'stored flags and audiences together': projectRecordBytesMax,
    audiences: audiencesMax,
    environments: environmentsMax,
    'slugs, former ones included': slugsMax,
    projects: projectsMax,
    'personal projects': personalProjectsMax,
    'members and open invitations': membersMax,
    rules: rulesMax,
    'values of a rule': ruleValuesMax,
    "characters of an attribute's name": attributeCodePointsMax,
    "characters of a rule's value": valueCodePointsMax,
    'active tokens, expired ones included': activeTokensMax,
    'revoked tokens that are kept': revokedTokensKeptMax,
    'characters of an email address': emailCharsMax,
    'characters of a password': passwordCharsMax,
    'characters of an idempotency key': idempotencyKeyLengthMax,
  };
  for (const [limit, bound] of Object.entries(bounds)) {
    const found = rows.filter((row) => row.limit === limit);
    t.same(
      found.map(({ value }) => amountIn(value)),
      [bound],
      limit,
    );
  }
});
