import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { languages } from './languages.ts';
import { makeQuestions } from './questions.ts';

const folder = join(repositoryRoot(), 'test', 'providers');
const manifests = ['requirements.txt', 'go.mod', 'pom.xml', 'Cargo.toml'];
/** The repository's own, which also pins the packages of node. */
const { packages } = JSON.parse(readFileSync(join(repositoryRoot(), 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
};

/** Whether a language's manifest has this package with this version right behind it. */
function pins(language: string, name: string, version: string): boolean {
  if (language === 'node') return packages[`node_modules/${name}`]?.version === version;
  const manifest = manifests.find((file) => existsSync(join(folder, language, file)));
  if (manifest === undefined) throw new Error(`no manifest in ${language}`);
  const text = readFileSync(join(folder, language, manifest), 'utf8').replaceAll(/<[^>]+>/g, ' ');
  const words = name.split(':').map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(`${words.join('\\s+')}["\\s:=v]+${version.replaceAll('.', '\\.')}(?![\\d.])`).test(text);
}

const readme = readFileSync(join(folder, 'README.md'), 'utf8');
const rows = [...readme.matchAll(/^\| (\w+) \| `([^`]+)` \| ([\d.]+(?:Final)?) \|/gm)];

t.test('the table of versions says what the manifests pin', async (t) => {
  t.ok(rows.length > 8);
  for (const [row, language = '', name = '', version = ''] of rows) {
    t.ok(pins(language, name, version), row);
  }
});

t.test('every published provider that is tried has a row', async (t) => {
  for (const { name, providers } of languages) {
    for (const { way, package: wanted, version } of providers) {
      if (way === 'burgee') continue;
      const found = rows.some((row) => row[1] === name && row[2] === wanted && row[3] === version);
      t.ok(found, `${name} ${wanted} ${version}`);
    }
  }
});

t.test('a seed makes the same questions again, and every cause has some', async (t) => {
  const questions = makeQuestions(500, 7);
  t.equal(JSON.stringify(makeQuestions(500, 7)), JSON.stringify(questions));
  t.not(JSON.stringify(makeQuestions(500, 8)), JSON.stringify(questions));
  const causes = languages.flatMap(({ providers }) => providers.flatMap((provider) => provider.causes));
  for (const { name, applies } of causes) t.ok(questions.some(applies), name);
});
