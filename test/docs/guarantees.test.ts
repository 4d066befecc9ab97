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

/** As `npm test -- PART` chooses them. */
const chosenBy = (part: string): readonly string[] => tests.filter((path) => path.includes(part));

t.test('every guarantee is a sentence with the command that shows it', async (t) => {
  t.ok(rows.length > 20);
  const command = '`npm (test|run campaign|run bench) -- [^`]+`';
  for (const row of rows) {
    t.match(row, new RegExp(`^\\| [A-Z].*\\. \\| [a-z]+ \\| ${command}(, ${command})* \\|$`), row);
  }
});

t.test('every guarantee says in which mode it holds', async (t) => {
  const known = [...page.matchAll(/^\| ([a-z]+) \| (?!`npm)/gm)].map(([, mode]) => mode);
  t.same(known, ['alone', 'cluster', 'both'], 'the modes are explained');
  for (const row of rows) {
    const [, , mode, command = ''] = row.split('|').map((cell) => cell.trim());
    t.ok(known.includes(mode), row);
    if (/-- cluster/.test(command)) t.not(mode, 'alone', row);
  }
});

t.test('every command runs tests or a campaign that exist', async (t) => {
  const parts = [...page.matchAll(/`npm test -- ([^`]+)`/g)].map(([, part]) => String(part));
  t.ok(parts.length > 15);
  for (const part of parts.flatMap((each) => each.split(' '))) {
    t.ok(chosenBy(part).length > 0, `npm test -- ${part}`);
  }
  for (const [, name] of page.matchAll(/`npm run campaign -- ([\w-]+)[^`]*`/g)) {
    t.ok(existsSync(join(root, 'test', 'campaigns', `${name}.campaign.ts`)), `the campaign ${name}`);
  }
  for (const [, name] of page.matchAll(/`npm run bench -- ([\w-]+)`/g)) {
    t.ok(existsSync(join(root, 'bench', 'scenarios', `${name}.load.ts`)), `the scenario ${name}`);
  }
});
