// Bundles src/console to the web app in dist/console that Burgee serves under /console.
//
//   node scripts/build-console.mjs
//       does nothing when dist/console was built from the same sources
//
// The server replaces each `__NONCE__` in the page by the nonce of its answer, and `__BASE__` by the path of base-url. An asset's name has the hash of its
// content; its .br and .gz forms are next to it.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { hashOfSources } from './lib/hash-of-sources.mjs';
import { leanColours, leanMantine } from './lib/lean-mantine.mjs';
import { root } from './lib/root.mjs';

const target = join(root, 'dist', 'console');
/** Written last: the hash of the sources that were built. */
const stamp = join(target, '.sources');
const sources = [
  'src/console',
  'src/contracts/console',
  'src/domain',
  'src/support',
  'package.json',
  'scripts/build-console.mjs',
  'scripts/lib/lean-mantine.mjs',
  'package-lock.json',
];
const isCompressible = /[.](js|css|svg)$/;

/** Packages carry directives for React Server Components, such as 'use client'. The console has no such server. */
function onwarn(warning, warn) {
  if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
}

async function bundle() {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(root, 'src/console'),
    base: '/console/',
    // Below a path, scripts and styles find each other by relative addresses.
    experimental: {
      renderBuiltUrl: (name, { hostType }) =>
        hostType === 'html' ? `__BASE__/console/${name}` : { relative: true },
    },
    publicDir: false,
    logLevel: 'warn',
    css: { postcss: { plugins: [leanColours] } },
    plugins: [leanMantine()],
    html: { cspNonce: '__NONCE__' },
    build: {
      target: 'es2022',
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
      outDir: target,
      emptyOutDir: true,
      manifest: '.vite/manifest.json',
      // No `data:` URLs: the content security policy forbids them.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        onwarn,
        // Five files instead of thirty: what the first page needs, what several pages share, the page of a flag, all
        // other pages. Small files are compressed less, because each begins without what the others have in common.
        output: {
          codeSplitting: {
            groups: [
              { name: 'console', tags: ['$initial'], priority: 3 },
              { name: 'pages', minShareCount: 2, priority: 2 },
              { name: 'flag', test: /src.console.screens.flag[/]/, priority: 1 },
              {
                name: 'others',
                test: /src.console.screens.(?!flags?[/]|sign-in|projects.home)/,
                priority: 0,
              },
            ],
          },
        },
      },
    },
  });
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

async function compress(path) {
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${path}.br`, await brotli(bytes, { params }));
  writeFileSync(`${path}.gz`, await zip(bytes, { level: 9 }));
}

async function compressAssets() {
  const folder = join(target, 'assets');
  const files = readdirSync(folder).filter((name) => isCompressible.test(name));
  await Promise.all(files.map((name) => compress(join(folder, name))));
}

async function main() {
  const hash = hashOfSources(sources);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  rmSync(stamp, { force: true });
  await bundle();
  await compressAssets();
  writeFileSync(stamp, hash);
}

await main();
