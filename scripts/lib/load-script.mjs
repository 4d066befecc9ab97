// The build copies this file to dist/server: the entries there run their code by it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';

// The packages of addons ask which C library there is, in each thread. The HTTP server has builds for this one only.
if (process.platform === 'linux') process.env.LIBC ??= 'glibc';

const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const requirePackage = createRequire(import.meta.url);
const modules = new Map();

function readCache(filename) {
  try {
    return readFileSync(`${filename}.cache`);
  } catch {
    // Only the start is slower.
    return undefined;
  }
}

/**
 * Runs a file of the bundle, once, as Node runs a CommonJS module, from V8's code cache. V8 refuses the cache of another
 * version or of other flags, and compiles.
 * @returns what the file exports
 */
export function loadScript(filename) {
  const known = modules.get(filename);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(filename, module);
  const folder = dirname(filename);
  const require = (name) => (name.startsWith('.') ? loadScript(join(folder, name)) : requirePackage(name));
  const options = { filename, cachedData: readCache(filename), importModuleDynamically };
  // The files are in ASCII: as Latin-1 V8 keeps one byte a character.
  const script = new Script(readFileSync(filename, 'latin1'), options);
  script.runInThisContext()(module.exports, require, module, filename, folder);
  return module.exports;
}
