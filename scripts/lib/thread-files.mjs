import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';

/** Of the function that the code is: what Node gives to a CommonJS module. */
const parameters = 'exports, require, module, __filename, __dirname';

/**
 * The thread's entry: runs the code beside it as Node runs a CommonJS module, from V8's code cache. V8 refuses the cache
 * of another version or of other flags, and compiles.
 */
function entryText(code, names) {
  const exported = names.length === 0 ? '' : `export const { ${names.join(', ')} } = module.exports;\n`;
  return `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { constants, Script } from "node:vm";

// The packages of addons ask which C library there is, in each thread. The HTTP server has builds for this one only.
if (process.platform === "linux") process.env.LIBC ??= "glibc";
const filename = join(import.meta.dirname, "${code}");
let cachedData;
try {
  cachedData = readFileSync(filename + ".cache");
} catch {
  // Only the start is slower.
}
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
// In ASCII: V8 stores one byte a character.
const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData, importModuleDynamically });
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(filename), module, filename, import.meta.dirname);
${exported}`;
}

/**
 * Turns a thread's bundle, a CommonJS module, into code with V8's code cache and the entry that runs it.
 *
 * The names of code and cache have the code's hash: V8 itself takes a cache for any code of the same length.
 * @param folder of the entry. @param bundle name of the bundle there, which is removed. @param exports what it exports
 */
export function writeThreadFiles(folder, bundle, exports) {
  const name = basename(bundle, '.cjs');
  // The bundle's modules are strict, and CommonJS is not.
  const text = `(function (${parameters}) { "use strict";\n${readFileSync(join(folder, bundle), 'latin1')}\n})`;
  const digest = createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 12);
  const code = `${name}-${digest}.cjs`;
  const filename = join(folder, code);
  rmSync(join(folder, bundle));
  writeFileSync(filename, text, 'latin1');
  writeFileSync(`${filename}.cache`, new Script(text, { filename }).createCachedData());
  writeFileSync(join(folder, `${name}.js`), entryText(code, exports));
}
