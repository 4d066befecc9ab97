import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import t from 'tap';
import { packageRoot } from '../../src/support/package-root.ts';

const folder = join(packageRoot(), 'dist', 'console');
const firstLoadBytesMax = 250_000;
const allBytesMax = 300_000;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')) as Record<
  string,
  Chunk
>;

/** A chunk and all its static imports. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`${name} is not in the manifest`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const other of chunk.imports ?? []) filesOf(other, found);
  return found;
}

t.test('the first page, the list of flags, needs less than 250 KB of JavaScript', async (t) => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const named = Array.from(
    page.matchAll(/="__BASE__[/]console[/](assets[/][^"]+[.]js)"/g),
    ([, file = '']) => file,
  );
  const files = new Set([...named, ...filesOf('screens/projects/home-screen.tsx')]);
  const bytes = [...files].map((file) => statSync(join(folder, `${file}.br`)).size);
  const sum = bytes.reduce((total, size) => total + size, 0);
  t.comment(`${sum} bytes in ${files.size} files`);
  t.ok(sum > 50_000 && sum < firstLoadBytesMax, `${sum} bytes`);
});

t.test('the whole console, scripts and styles of every page, is less than 300 KB', async (t) => {
  const names = readdirSync(join(folder, 'assets')).filter((name) => /[.](js|css)[.]br$/.test(name));
  const sum = names.reduce((total, name) => total + statSync(join(folder, 'assets', name)).size, 0);
  t.comment(`${sum} bytes in ${names.length} files`);
  t.ok(sum > firstLoadBytesMax / 2 && sum < allBytesMax, `${sum} bytes`);
});

t.test('every component of Mantine that is built has its styles', async (t) => {
  const scripts = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js'));
  const code = scripts.map((name) => readFileSync(join(folder, 'assets', name), 'utf8')).join('');
  const list = readFileSync(join(packageRoot(), 'src', 'console', 'app', 'mantine.css'), 'utf8');
  const imported = Array.from(list.matchAll(/styles[/](\w+)[.]css/g), ([, name]) => name);
  const styles = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css'));
  const files = readdirSync(join(styles, 'styles')).filter((name) => /^[A-Z]\w+[.]css$/.test(name));
  const used = files.filter((name) => {
    const classes = readFileSync(join(styles, 'styles', name), 'utf8').match(/\bm_[0-9a-f]+\b/g) ?? [];
    return classes.some((each) => code.includes(each));
  });
  t.ok(used.length > 20, `${used.length} of ${files.length} components`);
  t.same(
    imported.filter((name = '') => /^[A-Z]/.test(name)).sort(),
    used.map((name) => name.replace('.css', '')).sort(),
    'src/console/app/mantine.css has the styles of each, and of no others',
  );
});

t.test('every script and style sheet has a hash in its name and compressed forms', async (t) => {
  const names = readdirSync(join(folder, 'assets')).filter((name) => /[.](js|css)$/.test(name));
  t.ok(names.length > 10);
  for (const name of names) {
    t.match(name, /-[\w-]{8}[.](js|css)$/);
    t.ok(
      existsSync(join(folder, 'assets', `${name}.br`)) && existsSync(join(folder, 'assets', `${name}.gz`)),
      name,
    );
  }
});

t.test(
  'the page has nothing inline and nothing from another origin, and every tag takes the nonce',
  async (t) => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    t.notMatch(page, /<script(?![^>]* src=)/, 'no inline script');
    t.notMatch(page, /<style|\sstyle=|\son\w+=/, 'no inline style or handler');
    t.notMatch(page, /(src|href)="(?!__BASE__\/console\/)/, 'nothing from another origin');
    t.match(page, '<meta name="csp-nonce" content="__NONCE__">');
    for (const [tag] of page.matchAll(/<(script|link rel="(stylesheet|modulepreload)")[^>]*>/g)) {
      t.match(tag, 'nonce="__NONCE__"');
    }
    const scripts = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js'));
    for (const name of scripts) {
      t.notMatch(readFileSync(join(folder, 'assets', name), 'utf8'), /\bnew Function\(|\beval\(/, name);
    }
  },
);
