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

async function bundle() {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(root, 'src/console'),
    base: '/console/',
    logLevel: 'warn',
    publicDir: false,
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
        // Modules that several pages share become one file instead of a dozen small ones.
        output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } },
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
