import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Script } from 'node:vm';
import { root } from './root.mjs';

const loader = 'load-script.js';

function escapeChunk(chunk) {
  if (/\\[^\p{ASCII}]/u.test(chunk.code))
    throw new Error('a character beyond ASCII has a backslash before it');
  // Escapes code units, so it is also right in regular expressions without the flag u.
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, escaped);
}

/**
 * A plugin of rolldown that writes ASCII. V8 keeps the source of each loaded file, in each thread. One character beyond
 * Latin-1 makes it store the file with two bytes a character. In strings, templates and regular expressions an escape
 * means the same character.
 */
export const inAscii = {
  name: 'in-ascii',
  generateBundle: (_, files) => Object.values(files).forEach(escapeChunk),
};

/** Wraps a file into the function that Node gives to a CommonJS module, and writes V8's code cache next to it. */
function writeScript(filename) {
  const code = readFileSync(filename, 'latin1');
  // The bundle's modules are strict, and CommonJS is not.
  const text = `(function (exports, require, module, __filename, __dirname) { "use strict";\n${code}\n})`;
  writeFileSync(filename, text, 'latin1');
  writeFileSync(`${filename}.cache`, new Script(text, { filename }).createCachedData());
}

/** An ECMAScript module that runs the script in the same folder, and exports these names of it. */
function entryText(folder, fileName, exports) {
  const script = `loadScript(join(import.meta.dirname, "${basename(fileName)}"))`;
  const path = relative(join(folder, dirname(fileName)), join(folder, loader));
  return `import { join } from "node:path";
import { loadScript } from "${path.startsWith('.') ? path : `./${path}`}";

${exports.length === 0 ? '' : `export const { ${exports.join(', ')} } = `}${script};
`;
}

/**
 * Turns CommonJS chunks into scripts with V8's code cache, and writes a module for each entry.
 * @param folder of the bundle
 * @param isThread whether an entry of this name is a thread's: only these export something that is not for other chunks
 * @param chunks as rolldown describes them. A hash of the code is in each name: V8 itself takes a cache for any code of
 *   the same length
 */
export function writeScripts(folder, chunks, isThread) {
  copyFileSync(join(root, 'scripts', 'lib', 'load-script.mjs'), join(folder, loader));
  // The bundles of threads have a chunk in common.
  for (const { fileName, name, isEntry, exports } of new Map(
    chunks.map((chunk) => [chunk.fileName, chunk]),
  ).values()) {
    writeScript(join(folder, fileName));
    const text = entryText(folder, fileName, isThread(name) ? exports : []);
    if (isEntry) writeFileSync(join(folder, `${name}.js`), text);
  }
}
