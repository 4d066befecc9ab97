import { createHash } from 'node:crypto';
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
    t.ok(imports.length > 0 && imports.every((name) => name?.startsWith('node:')), `${imports}`);
    const required = [...readFileSync(code, 'latin1').matchAll(/\brequire\("([^"]+)"\)/g)].map(
      ([, name]) => name,
    );
    t.ok(required.includes('node:worker_threads'), 'what it requires was found');
    t.same(
      required.filter((name) => name?.startsWith('.') && !name.includes('/entry-files-')),
      [],
    );
  });

  t.test(`V8 takes the code cache of a ${thread} thread`, async (t) => {
    const source = readFileSync(code, 'latin1');
    const digest = createHash('sha256').update(source, 'latin1').digest('hex').slice(0, 12);
    t.match(basename(code), `-${digest}.cjs`, 'the names of code and cache are of this code');
    const cachedData = readFileSync(`${code}.cache`);
    t.equal(new Script(source, { filename: code, cachedData }).cachedDataRejected, false);
    t.equal(new Script(`${source} `, { filename: code, cachedData }).cachedDataRejected, true);
  });
}

t.test('no file has a character that would make V8 store two bytes for each', async (t) => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (file) => file.isFile() && !file.name.endsWith('.cache'),
  );
  t.ok(files.length > Object.keys(threadEntries).length);
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name));
    t.notOk(
      bytes.some((byte) => byte > 0x7f),
      name,
    );
  }
});
