import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOfSources } from './hash-of-sources.mjs';
import { root } from './root.mjs';
import { inAscii, writeScripts } from './write-scripts.mjs';

/*
 * Each test file is a process that imports tap, whose hundreds of modules take three times as long to load as Node. So
 * they are packed into one script with V8's code cache, where Node looks for `tap` first when a file below dist asks.
 *
 *   dist/node_modules/tap              a link to the next
 *   dist/node_modules/@tapjs/packed    the packed tap: tap leaves frames below @tapjs out of the stacks that it prints
 */
const packages = join(root, 'dist', 'node_modules');
const target = join(packages, '@tapjs', 'packed');
/** Written last: the Node whose V8 made the cache, and the hash of the sources. */
const stamp = join(target, '.sources');

const sources = ['scripts/lib/pack-tap.mjs', 'scripts/lib/write-scripts.mjs', 'package-lock.json'];

/** A comparison of React elements needs a package that is not installed. No test compares any. */
const withoutReact = {
  name: 'without-react',
  load: (id) => (id.endsWith('react-element-to-jsx-string.js') ? 'export default undefined;' : null),
};

/** Packs tap, unless it is packed. */
export async function packTap() {
  const expected = `${process.version} ${hashOfSources(sources)}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return;
  rmSync(packages, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const entry = join(target, 'entry.mjs');
  writeFileSync(entry, 'export { default as tap } from "tap";\n');
  // Here and not above: this module is loaded before packages are installed.
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: { tap: entry },
    platform: 'node',
    plugins: [withoutReact, inAscii],
  });
  const { output } = await bundle.write({
    dir: target,
    format: 'cjs',
    entryFileNames: '[name]-[hash].cjs',
    codeSplitting: false,
    comments: false,
  });
  await bundle.close();
  writeScripts(target, output, () => true);
  const main = 'index.js';
  writeFileSync(join(target, main), 'export { tap as default } from "./tap.js";\n');
  writeFileSync(join(target, 'package.json'), JSON.stringify({ type: 'module', exports: `./${main}` }));
  symlinkSync(target, join(packages, 'tap'), 'junction');
  writeFileSync(stamp, expected);
}
