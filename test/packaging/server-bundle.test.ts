import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import t from 'tap';
import { threadEntries } from '../../src/entry-files.ts';
import { packageRoot } from '../../src/support/package-root.ts';

/* Each of some twenty threads opens, compiles and keeps its code, which is most of a start's work. */
const folder = join(packageRoot(), 'dist', 'server');
const unbundled = join(packageRoot(), 'dist', 'src');

for (const [thread, url] of Object.entries(threadEntries)) {
  const entry = join(folder, relative(unbundled, fileURLToPath(url)));
  const text = readFileSync(entry, 'utf8');
  const code = join(dirname(entry), /"([\w-]+\.cjs)"/.exec(text)?.[1] ?? '');

  t.test(`a ${thread} thread loads one file of Burgee's own code`, async (t) => {
    const imports = [...text.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name]) => name);
    t.same(
      imports.filter((name) => !name?.startsWith('node:')).map((name) => basename(name ?? '')),
      ['load-script.js'],
    );
    const required = [...readFileSync(code, 'latin1').matchAll(/\brequire\("([^"]+)"\)/g)].map(
      ([, name]) => name,
    );
    t.ok(required.length > 0, 'what it requires was found');
    t.same(
      required.filter((name) => name?.startsWith('.') && !name.includes('/entry-files-')),
      [],
    );
  });
}

const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());

t.test('V8 takes the code cache of each file of code', async (t) => {
  const names = files.filter(({ name }) => name.endsWith('.cjs'));
  t.ok(names.length > Object.keys(threadEntries).length);
  for (const { parentPath, name } of names) {
    const filename = join(parentPath, name);
    const source = readFileSync(filename, 'latin1');
    const cachedData = readFileSync(`${filename}.cache`);
    t.equal(new Script(source, { filename, cachedData }).cachedDataRejected, false, name);
    t.equal(new Script(`${source} `, { filename, cachedData }).cachedDataRejected, true);
    t.match(name, /-[\w-]{8}\.cjs$/, 'its name has a hash of the code, because V8 compares only the length');
  }
});

t.test('no file has a character that would make V8 store two bytes for each', async (t) => {
  for (const { parentPath, name } of files.filter((file) => !file.name.endsWith('.cache'))) {
    const bytes = readFileSync(join(parentPath, name));
    t.notOk(
      bytes.some((byte) => byte > 0x7f),
      name,
    );
  }
});
