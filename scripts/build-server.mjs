// Bundles src to what runs, dist/server: the command line and each thread's and child process' entry, with what they
// share in chunks beside them.
//
//   node scripts/build-server.mjs
//   node scripts/build-server.mjs FOLDER MODULE...    elsewhere, with modules as further entries, which share the server's
//
// Packages of many small modules are taken in, because opening those one by one, in each thread, was most of a start.
// Others stay where npm put them: they bring native code or threads of their own, or are loaded where they are configured.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { root } from './lib/root.mjs';

const [folder = join('dist', 'server'), ...modules] = process.argv.slice(2);
const target = resolve(root, folder);
const isOurs = [join(root, 'dist'), tmpdir()].some((place) => target.startsWith(`${place}${sep}`));
if (!isOurs)
  throw new Error(`${target} is replaced as a whole: name a folder below dist, or a temporary one`);
const leftOut =
  /^(node:|lmdb|msgpackr|fs-native-extensions|uWebSockets\.js|@node-rs\/argon2|piscina|nodemailer|openid-client|prom-client)/;

/** Names below the target, without their ending, with the source of each. */
async function entries() {
  const compiled = join(root, 'dist', 'src');
  const listed = await import(pathToFileURL(join(compiled, 'entry-files.js')).href);
  const files = Object.values({ ...listed.threadEntries, ...listed.processEntries });
  const names = files.map((url) => relative(compiled, fileURLToPath(url)).replace(/[.]js$/, ''));
  const own = ['main', ...names].map((name) => [name, join(root, 'src', `${name}.ts`)]);
  return Object.fromEntries([...own, ...modules.map((path) => [basename(path, '.ts'), resolve(root, path)])]);
}

const bundle = await rolldown({
  input: await entries(),
  platform: 'node',
  external: leftOut,
  // Its modules declare; what is not used of them need not be loaded.
  treeshake: { moduleSideEffects: (id) => !id.includes('/node_modules/typebox/') },
  onwarn: (warning) => {
    throw new Error(warning.message);
  },
});
rmSync(target, { recursive: true, force: true });
await bundle.write({
  dir: target,
  format: 'esm',
  entryFileNames: '[name].js',
  // In no folder: entry-files.ts names the entries from where it lies itself.
  chunkFileNames: '[name]-[hash].js',
  // Each thread would read them.
  comments: { legal: true, annotation: false, jsdoc: false },
});
await bundle.close();
