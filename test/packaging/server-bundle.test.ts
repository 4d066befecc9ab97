import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { threadEntries } from '../../src/entry-files.ts';
import { packageRoot } from '../../src/support/package-root.ts';

/* Each of some twenty threads opens, compiles and keeps its code, which is most of a start's work. */
const folder = join(packageRoot(), 'dist', 'server');
const unbundled = join(packageRoot(), 'dist', 'src');

for (const [thread, url] of Object.entries(threadEntries)) {
  t.test(`a ${thread} thread loads one file of Burgee's own`, async (t) => {
    const text = readFileSync(join(folder, relative(unbundled, fileURLToPath(url))), 'utf8');
    const specifiers = [...text.matchAll(/^(?:import|export)\b.*?["']([^"']+)["'];$/gm)].map(
      ([, name]) => name,
    );
    t.ok(specifiers.includes('node:worker_threads'), 'imports were found');
    const own = specifiers.filter((name) => name?.startsWith('.') && !name.includes('/entry-files-'));
    t.same(own, []);
  });
}

t.test('no file has a character that would make V8 store two bytes for each', async (t) => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  t.ok(files.length > Object.keys(threadEntries).length);
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name));
    t.notOk(
      bytes.some((byte) => byte > 0x7f),
      name,
    );
  }
});
