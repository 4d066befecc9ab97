import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';

interface Package {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
}

const root = repositoryRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { scripts, dependencies, devDependencies, engines } = JSON.parse(read('package.json')) as Package;
const ofTests = JSON.parse(read('test/package.json')) as Pick<Package, 'devDependencies'>;
const readme = read('README.md');

t.test('dependencies and their reasons match', async (t) => {
  const page = read('docs/decisions/0009-dependencies.md');
  const [toRun = '', toBuild = '', toTest = ''] = page
    .slice(page.indexOf('| To run'))
    .split(/\| To (?:build|test)/);
  const firstCells = (table: string): string[] =>
    [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell]) =>
      [...String(cell).matchAll(/`([^`]+)`/g)].map(([, name]) => String(name)),
    );
  t.same(firstCells(toRun).sort(), Object.keys(dependencies).sort());
  t.same(firstCells(toBuild).sort(), Object.keys(devDependencies).sort());
  t.same(firstCells(toTest).sort(), Object.keys(ofTests.devDependencies).sort());
});

t.test('every command of the README exists', async (t) => {
  const commands = [...readme.matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map(
    ([, run, own]) => run ?? own,
  );
  t.ok(commands.length > 3);
  for (const command of commands) t.ok(String(command) in scripts, `npm run ${command}`);
});

t.test('the versions in the page of the installation are right', async (t) => {
  const install = read('docs/install.md');
  t.match(install, engines.node);
  t.match(install, String(dependencies['uWebSockets.js']));
});

t.test('every file that the README links to exists', async (t) => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => String(path));
  t.ok(links.length > 5);
  for (const path of links) t.ok(existsSync(join(root, path)), path);
});

t.test(
  "the README's first screen says what Burgee is, and has the two commands and a curl with its answer",
  async (t) => {
    const screen = readme.split('\n').slice(0, 24).join('\n');
    for (const shown of ['feature flags', 'npm start', 'npm test', '$ curl ', '"enabled":true'])
      t.match(screen, shown);
  },
);

t.test('every decision is listed, with a number of its own', async (t) => {
  const names = readdirSync(join(root, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name));
  const listed = [...read('docs/decisions/README.md').matchAll(/\((\d{4}-[\w-]+\.md)\)/g)].map(([, name]) =>
    String(name),
  );
  t.same([...new Set(listed)].sort(), names.sort());
  t.equal(new Set(names.map((name) => name.slice(0, 4))).size, names.length);
});

t.test('every decision has its four parts, and says what was rejected', async (t) => {
  for (const name of readdirSync(join(root, 'docs/decisions')).filter((each) => /^\d{4}-/.test(each))) {
    const headings = read(`docs/decisions/${name}`).match(/^#{1,2} .*$/gm) ?? [];
    t.match(headings[0], `# ${name.slice(0, 4)} `, name);
    t.same(headings.slice(1), ['## Context', '## Decision', '## Consequences', '## Rejected'], name);
  }
});

t.test('the README of each folder of src says what belongs there and what it may import', async (t) => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name } of folders) t.match(read(`src/${name}/README.md`), 'May import: ', name);
});

t.test('every file of src that a page or the README of a folder names exists', async (t) => {
  const markdown = (folder: string): readonly string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => join(folder, path));
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const names = new Set(files.map((path) => basename(path)));
  const missing: string[] = [];
  for (const page of ['README.md', 'CONTRIBUTING.md', ...markdown('docs')])
    for (const [, path = ''] of read(page).matchAll(/`(src\/[\w./-]+)`/g))
      if (!existsSync(join(root, path))) missing.push(`${page}: ${path}`);
  for (const page of markdown('src'))
    for (const [, path = ''] of read(page).matchAll(/`([\w./-]+\.tsx?)`/g))
      if (!names.has(basename(path))) missing.push(`${page}: ${path}`);
  t.same(missing, []);
});

t.test('the changelog has the form of keepachangelog 1.1.0, and a section of this version', async (t) => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const lines = read('CHANGELOG.md').split('\n');
  const [first, ...released] = lines.filter((line) => line.startsWith('## '));
  t.equal(first, '## [Unreleased]');
  const headings = released.map((line) => /^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$/.exec(line));
  t.notOk(headings.includes(null), released.join('\n'));
  const [versions, dates] = [1, 2].map((part) => headings.map((heading) => String(heading?.[part])));
  t.equal(versions?.[0], version);
  t.same(dates, dates?.toSorted().reverse(), 'the newest first');
  for (const date of dates ?? []) t.equal(new Date(date).toISOString().slice(0, 10), date);
  const kinds = new Set(
    ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'].map((kind) => `### ${kind}`),
  );
  for (const line of lines.filter((each) => each.startsWith('### '))) t.ok(kinds.has(line), line);
});
