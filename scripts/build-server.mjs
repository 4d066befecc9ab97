// Bundles src to what runs, dist/server: the command line and each child process' entry, with what they share in chunks
// beside them, and each thread's entry in one file of its own, which holds what that thread uses and nothing else.
//
//   node scripts/build-server.mjs
//   node scripts/build-server.mjs FOLDER MODULE...
//       elsewhere, with modules as further entries: the threads share their chunks then, so that a module which is loaded
//       before a thread's own finds the thread's classes
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
  /^(node:|lmdb|msgpackr|fs-native-extensions|uWebSockets\.js|@node-rs\/argon2|piscina|nodemailer|openid-client|pg$|prom-client)/;

const compiled = join(root, 'dist', 'src');
const listed = await import(pathToFileURL(join(compiled, 'entry-files.js')).href);

/** Names below the target, without their ending, with the source of each. */
function entriesOf(urls) {
  const names = Object.values(urls).map((url) =>
    relative(compiled, fileURLToPath(url)).replace(/[.]js$/, ''),
  );
  return Object.fromEntries(names.map((name) => [name, join(root, 'src', `${name}.ts`)]));
}

/**
 * V8 keeps the text of what it has loaded, in each thread: with one character beyond Latin-1 in two bytes for every one.
 * In texts, templates and regular expressions an escape is the same character.
 */
function inAscii(chunk) {
  if (/\\[^\p{ASCII}]/u.test(chunk.code))
    throw new Error('a character beyond ASCII has a backslash before it');
  // By code units: so it holds in regular expressions without the flag u, too.
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, escaped);
}

async function write(input, output) {
  const bundle = await rolldown({
    input,
    plugins: [{ name: 'in-ascii', generateBundle: (_, files) => Object.values(files).forEach(inAscii) }],
    platform: 'node',
    external: leftOut,
    // Its modules declare; what is not used of them need not be loaded.
    treeshake: { moduleSideEffects: (id) => !id.includes('/node_modules/typebox/') },
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
  await bundle.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    // In no folder: entry-files.ts names the entries from where it lies itself.
    chunkFileNames: '[name]-[hash].js',
    // Each thread would read them.
    comments: { legal: true, annotation: false, jsdoc: false },
    ...output,
  });
  await bundle.close();
}

const main = { main: join(root, 'src', 'main.ts'), ...entriesOf(listed.processEntries) };
const threads = entriesOf(listed.threadEntries);
const further = Object.fromEntries(modules.map((path) => [basename(path, '.ts'), resolve(root, path)]));
/** In a folder of their own it would name the entries from there. */
const alone = { codeSplitting: { groups: [{ name: 'entry-files', test: /entry-files[.]ts$/ }] } };

rmSync(target, { recursive: true, force: true });
if (modules.length > 0) await write({ ...main, ...threads, ...further });
else {
  await write(main);
  for (const [name, source] of Object.entries(threads)) await write({ [name]: source }, alone);
}
