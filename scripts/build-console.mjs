// Bundles src/console to the web app in dist/console that Burgee serves under /console.
//
//   node scripts/build-console.mjs
//       does nothing when dist/console was built from the same sources
//
// The server replaces each `__NONCE__` in the page by the nonce of its answer. An asset's name has the hash of its
// content; its .br and .gz forms lie beside it.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { hashOfSources } from './lib/hash-of-sources.mjs';
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
  'package-lock.json',
];
const isCompressible = /[.](js|css|svg)$/;

/** Builds the script that asks for the first answers, and puts it into the page before the others. */
const withFirstAnswers = {
  name: 'first-answers',
  buildStart() {
    this.emitFile({ type: 'chunk', id: join(root, 'src/console/first-answers.ts'), name: 'first-answers' });
  },
  transformIndexHtml: {
    order: 'post',
    handler(_page, { bundle }) {
      const chunk = Object.values(bundle).find(({ name }) => name === 'first-answers');
      const attrs = { src: `/console/${chunk.fileName}`, nonce: '__NONCE__' };
      return [{ tag: 'script', attrs, injectTo: 'head-prepend' }];
    },
  },
};

async function bundle() {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(root, 'src/console'),
    base: '/console/',
    logLevel: 'warn',
    publicDir: false,
    plugins: [withFirstAnswers],
    html: { cspNonce: '__NONCE__' },
    build: {
      outDir: target,
      emptyOutDir: true,
      target: 'es2022',
      manifest: '.vite/manifest.json',
      // No `data:` URLs: the content security policy forbids them.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        // Packages carry directives for React Server Components, such as 'use client'. The console has no such server.
        onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
        // Modules that several pages share become two files instead of a dozen small ones: what the first page needs
        // too, and what it does not wait for.
        output: {
          codeSplitting: {
            groups: [
              { name: 'shared', tags: ['$initial'], minShareCount: 2 },
              { name: 'pages', minShareCount: 2 },
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
