// Bundles src to dist/server, which is what runs. The command line and the child processes' entries share chunks. Each
// thread has one file of code that holds only what that thread uses. All are scripts with V8's code cache
// (docs/decisions/0073).
//
//   node scripts/build-server.mjs
//   node scripts/build-server.mjs FOLDER MODULE...
//       to another folder, with modules as further entries. The threads then share chunks, so that a module loaded
//       before the thread's own sees the thread's classes
//
// Packages of many small modules are bundled: opening those files one by one in each thread took most of the start-up
// time. Packages with native code or threads of their own stay in node_modules, and so do those that are loaded only
// where they are configured; of these openid-client can only be imported, and is bundled.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { root } from './lib/root.mjs';
import { inAscii, writeScripts } from './lib/write-scripts.mjs';

const [folder = join('dist', 'server'), ...modules] = process.argv.slice(2);
const target = resolve(root, folder);
const isOurs = [join(root, 'dist'), tmpdir()].some((parent) => target.startsWith(`${parent}${sep}`));
if (!isOurs)
  throw new Error(`${target} is replaced as a whole: name a folder below dist, or a temporary one`);
const leftOut =
  /^(node:|lmdb|msgpackr|fs-native-extensions|uWebSockets\.js|@node-rs\/argon2|piscina|nodemailer|pg$|prom-client|@grpc\/grpc-js)/;

const compiled = join(root, 'dist', 'src');
const listed = await import(pathToFileURL(join(compiled, 'entry-files.js')).href);

/** Names below the target, without their ending, with the source of each. */
function entriesOf(urls) {
  const names = Object.values(urls).map((url) =>
    relative(compiled, fileURLToPath(url)).replace(/[.]js$/, ''),
  );
  return Object.fromEntries(names.map((name) => [name, join(root, 'src', `${name}.ts`)]));
}

async function write(input, output) {
  const bundle = await rolldown({
    input,
    plugins: [inAscii],
    platform: 'node',
    external: leftOut,
    // Typebox's modules only declare: the bundle may drop what it does not use of them.
    treeshake: { moduleSideEffects: (id) => !id.includes('/node_modules/typebox/') },
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
  const written = await bundle.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    // In no subfolder: entry-files.ts names the entries relative to its own chunk.
    chunkFileNames: '[name]-[hash].js',
    // Each thread would read the comments at its start.
    comments: { legal: true, annotation: false, jsdoc: false },
    ...output,
  });
  await bundle.close();
  return written.output;
}

const main = { main: join(root, 'src', 'main.ts'), ...entriesOf(listed.processEntries) };
const threads = entriesOf(listed.threadEntries);
const further = Object.fromEntries(modules.map((path) => [basename(path, '.ts'), resolve(root, path)]));
/**
 * entry-files.ts gets a chunk of its own: inside an entry in a subfolder it would name the entries relative to that
 * folder.
 */
const alone = { codeSplitting: { groups: [{ name: 'entry-files', test: /entry-files[.]ts$/ }] } };
/** V8 caches the code of scripts, not of ECMAScript modules. */
const scripts = {
  format: 'cjs',
  entryFileNames: '[name]-[hash].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  dynamicImportInCjs: false,
};

rmSync(target, { recursive: true, force: true });
if (modules.length > 0) await write({ ...main, ...threads, ...further });
else {
  const chunks = await write(main, scripts);
  for (const [name, source] of Object.entries(threads)) {
    chunks.push(...(await write({ [name]: source }, { ...scripts, ...alone })));
  }
  writeScripts(target, chunks, (name) => Object.hasOwn(threads, name));
}
