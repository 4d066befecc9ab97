// Bundles src/console to the web app in dist/console that Burgee serves under /console.
//
//   node scripts/build-console.mjs
//       does nothing when dist/console was built from the same sources
//
// The server replaces each `__NONCE__` in the page by the nonce of its answer. An asset's name has the hash of its
// content; its .br and .gz forms lie beside it.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
  'scripts/build-console.mjs',
  'scripts/lib/lean-mantine.mjs',
  'package-lock.json',
];
const isCompressible = /[.](js|css|svg)$/;

const firstRowsFolder = join(root, 'src/console/first-rows');
/** The modules that the script of the first rows has in the place of others. */
const standIns = new Map([
  ...['react', 'react/jsx-runtime'].map((name) => [name, join(firstRowsFolder, 'draw.ts')]),
  ...[
    '@mantine/core',
    '@tanstack/react-query',
    '@tanstack/react-router',
    '@tanstack/react-virtual',
    join(root, 'src/console/client/queries.ts'),
    join(root, 'src/console/switching/use-flag-switch.ts'),
    join(root, 'src/console/screens/flags/use-grid-keys.ts'),
    '../createLucideIcon.mjs',
  ].map((name) => [name, join(firstRowsFolder, 'stand-ins.tsx')]),
]);

const withStandIns = {
  name: 'stand-ins',
  enforce: 'pre',
  resolveId(source, importer) {
    const isOwn = source.startsWith('.') && importer !== undefined;
    return standIns.get(source) ?? (isOwn ? standIns.get(join(dirname(importer), source)) : undefined);
  },
};

/** What both builds have in common: the names of classes are made of it. */
const common = { configFile: false, root: join(root, 'src/console'), base: '/console/', publicDir: false };
const compiled = { target: 'es2022', reportCompressedSize: false, modulePreload: { polyfill: false } };

/** @returns a classic script, which runs before the console is there. Its styles are those of the console */
async function earlyScript(name, path) {
  const { build } = await import('vite');
  const { output } = await build({
    ...common,
    logLevel: 'warn',
    plugins: [withStandIns],
    build: {
      ...compiled,
      write: false,
      rolldownOptions: {
        input: join(root, 'src/console', path),
        output: { entryFileNames: `assets/${name}-[hash].js` },
        onwarn,
      },
    },
  });
  const { fileName, code } = output.find(({ type }) => type === 'chunk');
  // Vite would put the styles of a classic script into one that this makes itself.
  return { fileName, source: `(()=>{${code.trim()}})();` };
}

/**
 * Puts the early scripts into the page: the first one asks for answers, the second one draws the first rows from them
 * and then imports the console, which the browser has loaded meanwhile.
 */
function withEarlyScripts(firstAnswers, firstRows) {
  return {
    name: 'early-scripts',
    buildStart() {
      for (const script of [firstAnswers, firstRows]) this.emitFile({ type: 'asset', ...script });
    },
    transformIndexHtml: {
      order: 'post',
      handler(page) {
        const tags = /<script type="module" crossorigin src="([^"]+)"[^>]*><[/]script>/g;
        const modules = Array.from(page.matchAll(tags), ([, src]) => src);
        const src = modules.find((path) => path.includes('/console-'));
        const nonce = '__NONCE__';
        const answers = { src: `/console/${firstAnswers.fileName}`, nonce };
        const rows = { src: `/console/${firstRows.fileName}`, 'data-console': src, defer: true, nonce };
        const preload = (href) => ({ rel: 'modulepreload', crossorigin: true, href, nonce });
        return {
          html: page.replace(tags, ''),
          tags: [
            { tag: 'script', attrs: answers, injectTo: 'head-prepend' },
            { tag: 'script', attrs: rows, injectTo: 'head-prepend' },
            ...modules.map((href) => ({ tag: 'link', attrs: preload(href), injectTo: 'head' })),
          ],
        };
      },
    },
  };
}

/** Packages carry directives for React Server Components, such as 'use client'. The console has no such server. */
function onwarn(warning, warn) {
  if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
}

async function bundle() {
  const { build } = await import('vite');
  const firstAnswers = await earlyScript('first-answers', 'first-answers.ts');
  const firstRows = await earlyScript('first-rows', 'first-rows/first-rows.tsx');
  await build({
    ...common,
    logLevel: 'warn',
    css: { postcss: { plugins: [leanColours] } },
    plugins: [leanMantine(), withEarlyScripts(firstAnswers, firstRows)],
    html: { cspNonce: '__NONCE__' },
    build: {
      ...compiled,
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
