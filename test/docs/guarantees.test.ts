import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';

const root = repositoryRoot();
const page = readFileSync(join(root, 'docs/guarantees.md'), 'utf8');
/** The table of modes has no commands, and names none of its rows with a capital letter. */
const rows = page.split('\n').filter((line) => /^\| (?!Promise \||Holds \||[a-z]+ \|)/.test(line));

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => path.replaceAll('\\', '/'));
/** The file's name without its marks. */
const names = new Set(tests.map((path) => path.replace(/(\.[a-z]+)*\.test\.ts$/, '')));

/** As `npm test -- PART` chooses them. */
const chosenBy = (part: string): readonly string[] => tests.filter((path) => path.includes(part));

t.test('every guarantee is a sentence with the command that shows it', async (t) => {
  t.ok(rows.length > 25);
  for (const row of rows) {
    t.match(row, /^\| [A-Z`].*\. \| [a-z]+ \| `npm (test|run campaign) -- [^`]+` \|$/, row);
  }
});

t.test('every guarantee says in which mode it holds', async (t) => {
  const known = [...page.matchAll(/^\| ([a-z]+) \| (?!`npm)/gm)].map(([, mode]) => mode);
  t.same(known, ['alone', 'cluster', 'both'], 'the modes are explained');
  for (const row of rows) {
    const [, promise = '', mode, command = ''] = row.split('|').map((cell) => cell.trim());
    t.ok(known.includes(mode), row);
    const isOfCluster = /^In (a cluster|cluster mode)\b/.test(promise) || /-- cluster[/-]/.test(command);
    if (isOfCluster) t.not(mode, 'alone', row);
  }
});

t.test('every command runs tests or a campaign that exist', async (t) => {
  const parts = [...page.matchAll(/`npm test -- ([^`]+)`/g)].map(([, part]) => String(part));
  t.ok(parts.length > 25);
  for (const part of parts.flatMap((each) => each.split(' '))) {
    t.ok(chosenBy(part).length > 0, `npm test -- ${part}`);
    if (part.includes('/')) t.ok(names.has(part), `a test is called ${part}`);
  }
  for (const [, name] of page.matchAll(/`npm run campaign -- ([\w-]+)[^`]*`/g)) {
    t.ok(existsSync(join(root, 'test', 'campaigns', `${name}.campaign.ts`)), `the campaign ${name}`);
  }
});

/** The longer words of a promise, without their endings. */
function stemsOf(row: string): ReadonlySet<string> {
  const [, promise = ''] = row.split(' | `npm')[0]?.split('| ') ?? [];
  return new Set((promise.toLowerCase().match(/[a-z]{4,}/g) ?? []).map((word) => word.slice(0, 5)));
}

const commandOf = (row: string): string => row.split(' | ').at(-1) ?? '';

t.test('no promise stands twice in other words', async (t) => {
  const stems = rows.map((row) => ({ row, stems: stemsOf(row) }));
  const alike = stems.flatMap((one, index) =>
    stems.slice(index + 1).flatMap((other) => {
      if (commandOf(one.row) !== commandOf(other.row)) return [];
      const common = [...one.stems].filter((stem) => other.stems.has(stem)).length;
      const share = common / Math.min(one.stems.size, other.stems.size);
      return share > 0.7 && common > 4 ? [`${one.row}\n${other.row}`] : [];
    }),
  );
  t.same(alike, []);
});
